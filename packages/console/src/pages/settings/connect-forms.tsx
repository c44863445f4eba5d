import { problemsOf } from '#api/failure.ts';
import { useIsOwner, useProject } from '#api/project.ts';
import { randomHex } from '#api/random-hex.ts';
import { useFreshSession } from '#layout/fresh-session.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/field.tsx';
import { Form, FormProblem, textOf } from '#ui/form.tsx';

/** Connects the team to the processor; the stand-in takes any test key, so one is made up. */
export function ConnectForms({ isLocal }: { readonly isLocal: boolean }) {
  const connect = useConnect();
  if (!useIsOwner()) return <p className="muted">An owner of the team connects it to Stripe.</p>;
  if (isLocal)
    return (
      <div className="stack-s">
        <p className="muted">
          This installation runs with a local stand-in for Stripe: nothing leaves the machine, and no real money moves.
        </p>
        <div>
          <Button kind="primary" busy={connect.isPending} onClick={() => connect.mutate({ secretKey: newTestKey() })}>
            Connect the local processor
          </Button>
        </div>
        <FormProblem error={connect.error} />
      </div>
    );
  const problems = problemsOf(connect.error, ['secretKey', 'webhookSecret']);
  return (
    <Form onSubmit={fields => connect.mutate(credentialsIn(fields))}>
      <TextField
        label="Secret key"
        name="secretKey"
        required
        autoComplete="off"
        spellCheck={false}
        placeholder="sk_test_…"
        hint="In the Stripe Dashboard under Developers, API keys. It is tested, stored encrypted, never shown again, and used to add the webhook endpoint. Begin with a test key."
        problem={problems.of.secretKey}
      />
      <TextField
        label="Signing secret (optional)"
        name="webhookSecret"
        autoComplete="off"
        spellCheck={false}
        placeholder="whsec_…"
        hint="Only if you made the webhook endpoint yourself. Without it, the endpoint is added for you."
        problem={problems.of.webhookSecret}
      />
      <FormProblem error={problems.rest} />
      <div>
        <Button kind="primary" type="submit" busy={connect.isPending}>
          Connect Stripe
        </Button>
      </div>
    </Form>
  );
}

function useConnect() {
  const { team, teamKey } = useProject();
  const withFreshSession = useFreshSession();
  return useWrite({
    write: (credentials: Credentials) => withFreshSession(() => team.processor.connect(credentials)),
    stale: [teamKey('processor')],
    done: (_connected, { webhookSecret }) =>
      webhookSecret ? 'Connected.' : 'Connected. The webhook endpoint was added.',
  });
}

interface Credentials {
  readonly secretKey: string;
  /** Of an endpoint that the team made itself; without it, one is made. */
  readonly webhookSecret?: string;
}

function credentialsIn(fields: FormData): Credentials {
  const webhookSecret = textOf(fields, 'webhookSecret');
  return { secretKey: textOf(fields, 'secretKey'), ...(webhookSecret && { webhookSecret }) };
}

const newTestKey = (): string => `sk_test_${randomHex(32)}`;

import type { ProcessorConnection } from '@billing/client';
import { useRef, useState } from 'react';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useIsOwner } from '#api/use-is-owner.ts';
import { useFreshSession } from '#layout/fresh-session.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Open } from '#resource/dialog-button.tsx';
import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/field.tsx';
import { Form, textOf } from '#ui/form.tsx';
import { Notice } from '#ui/notice.tsx';
import { Time } from '#ui/time.tsx';
import { ConnectProblem } from './connect-problem.tsx';
import { suggestLocalKey } from './local-key.ts';
import { PurgeDialog } from './purge-dialog.tsx';

/** Connects the team to the processor, or replaces the key; says what to do about each refusal. */
export function ConnectForms({ connection }: { readonly connection: ProcessorConnection }) {
  const { isLocal, processor, lastAccount, isPurging } = connection;
  const known = processor ?? lastAccount;
  const { teamId } = useProject();
  const connect = useConnect();
  const form = useRef<HTMLDivElement>(null);
  const [purging, setPurging] = useState(false);
  if (!useIsOwner()) return <p className="muted">An owner of the team connects it to Stripe.</p>;
  const ownKey = isLocal ? suggestLocalKey(teamId, known) : undefined;
  const problems = problemsOf(connect.error, ['secretKey', 'webhookSecret']);
  const focus = (name: 'secretKey' | 'webhookSecret') => {
    const field = form.current?.querySelector<HTMLInputElement>(`[name="${name}"]`);
    field?.focus();
    field?.select();
  };
  return (
    <div className="stack" ref={form}>
      {isLocal && (
        <p className="muted">
          This installation runs with a local stand-in for Stripe: nothing leaves the machine, and no real money moves.
        </p>
      )}
      {(lastAccount || isPurging) && (
        <LastAccount account={lastAccount} isPurging={isPurging} onPurge={() => setPurging(true)} />
      )}
      <Form
        action={processor ? 'Replace the key' : isLocal ? 'Connect the local processor' : 'Connect Stripe'}
        write={connect}
        problems={NOT_HERE}
      >
        <TextField
          label="Secret key"
          name="secretKey"
          required
          autoComplete="off"
          spellCheck={false}
          placeholder="sk_test_…"
          defaultValue={ownKey}
          hint={isLocal ? <LocalHint isOwn={ownKey !== ''} /> : STRIPE_HINT}
          problem={problems.of.secretKey}
        />
        {!isLocal && (
          <TextField
            label="Signing secret (optional)"
            name="webhookSecret"
            autoComplete="off"
            spellCheck={false}
            placeholder="whsec_…"
            hint="Only if you made the webhook endpoint yourself. Without it, the endpoint is added for you."
            problem={problems.of.webhookSecret}
          />
        )}
        <ConnectProblem error={problems.rest} isLocal={isLocal} onEnter={focus} onPurge={() => setPurging(true)} />
      </Form>
      {purging && (
        <Open onClose={() => setPurging(false)}>
          <PurgeDialog onStarted={connect.reset} />
        </Open>
      )}
    </div>
  );
}

/** `ConnectProblem` shows them. */
const NOT_HERE = { rest: undefined };

const STRIPE_HINT =
  'In the Stripe Dashboard under Developers, API keys. It is tested, stored encrypted, never shown again, and used to add the webhook endpoint. Begin with a test key.';

/** What a key of the local processor is, and where to get one. */
const LocalHint = ({ isOwn }: { readonly isOwn: boolean }) => (
  <>
    Each test key has an account of its own here{isOwn && '; this one always leads to the team’s'}. To connect an
    account with a past, enter the key that <code>npm run demo:account</code> prints.
  </>
);

function useConnect() {
  const { team, teamKey } = useProject();
  const withFreshSession = useFreshSession();
  return useWrite({
    write: (fields: FormData) => withFreshSession(() => team.processor.connect(credentialsIn(fields))),
    stale: [teamKey('processor'), teamKey('processor-health')],
    done: (_connected, fields) =>
      textOf(fields, 'webhookSecret') ? 'Connected.' : 'Connected. The webhook endpoint was added.',
  });
}

function credentialsIn(fields: FormData) {
  // Of an endpoint that the team made itself; without it, one is made.
  const webhookSecret = textOf(fields, 'webhookSecret');
  return { secretKey: textOf(fields, 'secretKey'), ...(webhookSecret && { webhookSecret }) };
}

interface LastAccountProps {
  readonly account: ProcessorConnection['lastAccount'];
  readonly isPurging: boolean;
  readonly onPurge: () => void;
}

/** Which account the records are of that the team still has, and how another one can be connected. */
function LastAccount({ account, isPurging, onPurge }: LastAccountProps) {
  if (isPurging)
    return (
      <Notice role="status">
        The records of the last account are being deleted. An account can be connected once they are.
      </Notice>
    );
  if (!account) return null;
  return (
    <Notice>
      <div className="stack-s">
        <div>
          Disconnected from <code>{account.accountId}</code> ({account.livemode ? 'live' : 'test'} mode){' '}
          <Time at={account.disconnectedAt} show="relative" />. Its records are still here: connect it again with a key
          of the same account; the last one ended with <code>{account.secretKeyLast4}</code>. Another account can only
          be connected once the records are deleted.
        </div>
        <div>
          <Button small onClick={onPurge}>
            Delete the records…
          </Button>
        </div>
      </div>
    </Notice>
  );
}

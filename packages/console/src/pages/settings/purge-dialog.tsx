import { useQuery } from '@tanstack/react-query';
import { teamsQuery } from '#api/client.ts';
import { hasCode } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useFreshSession } from '#layout/fresh-session.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { TextField } from '#ui/field.tsx';
import { Form, FormProblem, textOf } from '#ui/form.tsx';

/** Disconnects the team and deletes everything that mirrors its account, once its name is typed. */
export function PurgeDialog({ onClose, onStarted }: { readonly onClose: () => void; readonly onStarted: () => void }) {
  const { team, teamId } = useProject();
  const { data: teams } = useQuery(teamsQuery);
  const name = teams?.find(({ id }) => id === teamId)?.name;
  const withFreshSession = useFreshSession();
  const purge = useWrite({
    write: (confirm: string) => withFreshSession(() => team.processor.purge(confirm)),
    stale: [['team', teamId]],
    done: 'The records are being deleted.',
    onDone: onStarted,
  });
  const isOtherName = hasCode(purge.error, 'confirmation_required');
  return (
    <Dialog title="Delete the records" onClose={onClose}>
      <p>
        This disconnects the team from Stripe and deletes, in all of its projects, every product, price, customer,
        subscription, invoice, payment, referral and webhook event. It can’t be taken back. Nothing is changed at
        Stripe: subscriptions there go on, and a sync can bring their records back. Projects, members, API keys and
        settings stay.
      </p>
      <Form onSubmit={fields => purge.mutate(textOf(fields, 'confirm'))}>
        <TextField
          label="Name of the team"
          name="confirm"
          required
          autoComplete="off"
          spellCheck={false}
          problem={isOtherName ? 'This is not the name of the team.' : undefined}
          hint={
            name && (
              <>
                Type <strong>{name}</strong> to confirm.
              </>
            )
          }
        />
        <FormProblem error={isOtherName ? null : purge.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>Go back</Button>
          <Button kind="danger" type="submit" busy={purge.isPending}>
            Delete the records
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

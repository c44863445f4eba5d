import { useQuery } from '@tanstack/react-query';
import { teamsQuery } from '#api/client.ts';
import { hasCode } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useFreshSession } from '#layout/fresh-session.tsx';
import { useWrite } from '#layout/use-write.ts';
import { TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';

/** Disconnects the team and deletes everything that mirrors its account, once its name is typed. */
export function PurgeDialog({ onClose, onStarted }: { readonly onClose: () => void; readonly onStarted: () => void }) {
  const { team, teamId } = useProject();
  const { data: teams } = useQuery(teamsQuery);
  const name = teams?.find(({ id }) => id === teamId)?.name;
  const withFreshSession = useFreshSession();
  const purge = useWrite({
    write: (fields: FormData) => withFreshSession(() => team.processor.purge(textOf(fields, 'confirm'))),
    stale: [['team', teamId]],
    done: 'The records are being deleted.',
    onDone: onStarted,
  });
  const isOtherName = hasCode(purge.error, 'confirmation_required');
  return (
    <FormDialog
      title="Delete the records"
      lead={
        <p>
          This disconnects the team from Stripe and deletes, in all of its projects, every product, price, customer,
          subscription, invoice, payment, referral and webhook event. It can’t be taken back. Nothing is changed at
          Stripe: subscriptions there go on, and a sync can bring their records back. Projects, members, API keys and
          settings stay.
        </p>
      }
      action="Delete the records"
      kind="danger"
      write={purge}
      problems={{ rest: isOtherName ? undefined : purge.error }}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}

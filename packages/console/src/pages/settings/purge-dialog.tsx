import { useQuery } from '@tanstack/react-query';
import { teamsQuery } from '#api/client.ts';
import { useProject } from '#api/project.ts';
import { WriteDialog } from '#resource/write-dialogs.tsx';
import { TextField } from '#ui/field.tsx';
import { textOf } from '#ui/form.tsx';

/** Disconnects the team and deletes everything that mirrors its account, once its name is typed. */
export function PurgeDialog({ onStarted }: { readonly onStarted?: () => void }) {
  const { team, teamId } = useProject();
  const { data: teams } = useQuery(teamsQuery);
  const name = teams?.find(({ id }) => id === teamId)?.name;
  return (
    <WriteDialog
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
      write={(fields: FormData) => team.processor.purge(textOf(fields, 'confirm'))}
      isSensitive
      stale={[['team', teamId]]}
      done="The records are being deleted."
      {...(onStarted && { onDone: onStarted })}
      refusals={{ confirmation_required: 'confirm' }}
      fields={[
        {
          kind: 'other',
          names: ['confirm'],
          show: ({ confirm }) => (
            <TextField
              label="Name of the team"
              name="confirm"
              required
              autoComplete="off"
              spellCheck={false}
              problem={confirm && 'This is not the name of the team.'}
              hint={
                name && (
                  <>
                    Type <strong>{name}</strong> to confirm.
                  </>
                )
              }
            />
          ),
        },
      ]}
    />
  );
}

import type { Sync } from '@billing/client';
import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { StatusBadge, SYNC_STATUS } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';

type Run = Pick<Sync, 'status' | 'error' | 'createdAt' | 'finishedAt'>;

/** How a sync or a price migration stands, since when, and why it failed. */
export const RunLead = ({ run: { status, error, createdAt, finishedAt } }: { readonly run: Run }) => (
  <>
    <StatusBadge of={SYNC_STATUS[status]} /> <Time at={createdAt} show="time" />
    {finishedAt && (
      <>
        {' – '}
        <Time at={finishedAt} show="time" />
      </>
    )}
    {error && <span role="alert"> It failed: {error.message}</span>}
  </>
);

interface StopButtonProps {
  readonly of: 'sync' | 'migration';
  readonly id: string;
}

/** Stops a sync or a price migration; what it has done stays. */
export function StopButton({ of, id }: StopButtonProps) {
  const { billing, key } = useProject();
  const [methods, list] =
    of === 'sync' ? ([billing.syncs, 'syncs'] as const) : ([billing.priceMigrations, 'price-migrations'] as const);
  const cancel = useWrite({
    write: async () => void (await methods.cancel(id)),
    stale: [key(list)],
    failed: `The ${of} was not stopped.`,
  });
  return (
    <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
      Stop
    </Button>
  );
}

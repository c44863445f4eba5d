import type { Sync } from '@billing/client';
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

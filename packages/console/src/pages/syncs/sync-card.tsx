import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { EmptyState } from '#ui/states.tsx';
import { StatusBadge, SYNC_STATUS } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { SyncActions } from './sync-actions.tsx';
import { SyncProgress } from './sync-progress.tsx';
import { syncName } from './types.ts';
import { useNewestSyncs } from './use-newest-syncs.ts';

/** The last comparison of the account with the project's records, and buttons for the next one. */
export function SyncCard() {
  const newest = useNewestSyncs();
  const { data } = newest;
  const sync = data?.find(({ kind }) => kind === 'account');
  return (
    <Card
      title="Records and account"
      lead="A report changes nothing. Applying makes the records equal to Stripe; nothing is billed there."
      actions={<SyncActions syncs={data} />}
    >
      <Loading query={newest} lines={3} />
      {data && !sync && (
        <EmptyState icon="connection" title="Not compared yet">
          A report shows which customers, subscriptions and invoices Stripe has and this project does not.
        </EmptyState>
      )}
      {sync && (
        <div className="stack">
          <p>
            <StatusBadge of={SYNC_STATUS[sync.status]} /> {syncName(sync)}, <Time at={sync.createdAt} show="relative" />
            {sync.error && `: ${sync.error.message}`}
          </p>
          <SyncProgress sync={sync} />
          <p className="row">
            <ProjectLink page={`settings/syncs/${sync.id}`} className="button">
              See the findings
            </ProjectLink>
            <ProjectLink page="settings/syncs" className="button">
              All syncs
            </ProjectLink>
          </p>
        </div>
      )}
    </Card>
  );
}

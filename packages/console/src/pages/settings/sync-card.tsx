import type { Sync, SyncFinding } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { ListTable, type Column } from '#layout/list-table.tsx';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/states.tsx';
import { FINDING_OUTCOME, StatusBadge, SYNC_STATUS } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { isOpen } from './sync-counts.ts';
import { SyncProgress } from './sync-progress.tsx';

const RUNNING_MS = 1_000;
const IDLE_MS = 30_000;

/** The last comparison of the account with the project's records, and buttons for the next one. */
export function SyncCard() {
  const { billing, key } = useProject();
  const newest = useQuery({
    queryKey: key('syncs', 'newest'),
    queryFn: async ({ signal }) => (await billing.syncs.list({ limit: 1 }, { signal }).page()).items,
    refetchInterval: ({ state }) => (isOpen(state.data?.[0]) ? RUNNING_MS : IDLE_MS),
  });
  const { data } = newest;
  const sync = data?.[0];
  return (
    <>
      <Card
        title="Records and account"
        lead="A report changes nothing. Applying makes the records equal to Stripe; nothing is billed there."
        actions={<SyncActions sync={sync} />}
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
              <StatusBadge of={SYNC_STATUS[sync.status]} /> {sync.mode === 'apply' ? 'Apply' : 'Report'},{' '}
              <Time at={sync.createdAt} show="relative" />
              {sync.error && `: ${sync.error.message}`}
            </p>
            <SyncProgress sync={sync} />
          </div>
        )}
      </Card>
      {sync && <Findings sync={sync} />}
    </>
  );
}

function SyncActions({ sync }: { readonly sync: Sync | undefined }) {
  const { billing, key } = useProject();
  const options = { stale: [key('syncs')], failed: 'The sync was not changed.' };
  const start = useWrite({ write: (mode: Sync['mode']) => billing.syncs.create({ mode }), ...options });
  const cancel = useWrite({ write: (id: string) => billing.syncs.cancel(id), ...options });
  if (sync && isOpen(sync))
    return (
      <Button busy={cancel.isPending} onClick={() => cancel.mutate(sync.id)}>
        Stop
      </Button>
    );
  return (
    <div className="row">
      <Button busy={start.isPending} onClick={() => start.mutate('report')}>
        Compare
      </Button>
      <Button busy={start.isPending} onClick={() => start.mutate('apply')}>
        Apply
      </Button>
    </div>
  );
}

const COLUMNS: readonly Column<SyncFinding>[] = [
  { title: 'Found', cell: ({ outcome }) => <StatusBadge of={FINDING_OUTCOME[outcome]} /> },
  { title: 'Type', cell: ({ type }) => type },
  { title: 'At Stripe', cell: ({ processorId }) => <code className="truncate">{processorId}</code> },
  { title: 'Why', cell: whyOf },
];

function whyOf({ applied, reason, fields }: SyncFinding): string {
  return applied ? 'applied' : (reason ?? fields.map(({ field }) => field).join(', '));
}

function Findings({ sync: { id, status } }: { readonly sync: Sync }) {
  const { billing, key } = useProject();
  return (
    <Card title="Findings" flush>
      <ListTable
        label="Findings"
        queryKey={key('syncs', id, 'findings', status)}
        list={(page, signal) => billing.syncs.findings(id, page, { signal })}
        columns={COLUMNS}
        rowKey={({ type, processorId }) => `${type} ${processorId}`}
        empty={
          <EmptyState icon="check" title="Nothing to show">
            {isOpen({ status }) ? 'Nothing found so far.' : 'The records equal the account.'}
          </EmptyState>
        }
      />
    </Card>
  );
}

import type { Sync } from '@billing/client';
import { useProject } from '#api/project.ts';
import { ListTable, type Column } from '#layout/list-table.tsx';
import { Card, Page } from '#layout/page.tsx';
import { linkColumn } from '#resource/tables.tsx';
import { formatCount } from '#ui/amount.ts';
import { EmptyState } from '#ui/states.tsx';
import { StatusBadge, SYNC_STATUS } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { SyncActions } from './sync-actions.tsx';
import { totalsOf } from './sync-counts.ts';
import { syncName } from './types.ts';
import { useNewestSyncs } from './use-newest-syncs.ts';

const COLUMNS: readonly Column<Sync>[] = [
  {
    ...linkColumn(
      'Started',
      ({ id }: Sync) => `settings/syncs/${id}`,
      ({ createdAt }) => <Time at={createdAt} show="time" />,
    ),
    least: 188,
  },
  { title: 'Kind', cell: syncName },
  { title: 'Status', width: 'status', cell: ({ status }) => <StatusBadge of={SYNC_STATUS[status]} /> },
  { title: 'Compared', width: 'count', end: true, cell: sync => formatCount(totalsOf(sync).compared) },
  { title: 'Found', width: 'count', end: true, cell: sync => formatCount(totalsOf(sync).found) },
  {
    title: 'Taken over',
    width: 'count',
    end: true,
    cell: sync => (sync.mode === 'apply' ? formatCount(totalsOf(sync).applied) : '–'),
  },
];

/** The history of comparisons of the Stripe account with the project's records. */
export function SyncsPage() {
  const { billing, key } = useProject();
  const newest = useNewestSyncs();
  return (
    <Page
      title="Syncs"
      lead="A report compares the Stripe account with the records and changes nothing; an apply makes the records equal to it. A report runs every night. Comparisons of the catalog with a document are here, too."
      up={{ page: 'settings/connection', title: 'Connection' }}
      actions={<SyncActions syncs={newest.data} />}
    >
      <Card flush>
        <ListTable
          label="Syncs"
          queryKey={key('syncs', 'all', newest.data?.[0]?.id, newest.data?.[0]?.status)}
          list={(page, signal) => billing.syncs.list(page, { signal })}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          empty={
            <EmptyState icon="connection" title="Not compared yet">
              “Compare” shows which products, customers, subscriptions and invoices Stripe has and this project does
              not.
            </EmptyState>
          }
        />
      </Card>
    </Page>
  );
}

import type { PriceMigration } from '@billing/client';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { useFilters } from '#layout/filters.tsx';
import { ListTable, type Column } from '#layout/list-table.tsx';
import { Card, Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatCount } from '#ui/amount.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/states.tsx';
import { StatusBadge, SYNC_STATUS } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { StopButton } from '../syncs/stop-button.tsx';
import { isOpen } from '../syncs/sync-counts.ts';
import { migrationName } from './migration-words.ts';
import { PriceLabel } from './price-label.tsx';
import { ReportDialog } from './report-dialog.tsx';
import { useNewestMigration } from './use-migrations.ts';

const COLUMNS: readonly Column<PriceMigration>[] = [
  {
    title: 'Started',
    cell: ({ id, createdAt }) => (
      <ProjectLink page={`price-migrations/${id}`} className="primary-cell">
        <Time at={createdAt} show="time" />
      </ProjectLink>
    ),
  },
  { title: 'Kind', cell: migrationName },
  { title: 'From', cell: ({ fromPriceId }) => <PriceLabel id={fromPriceId} /> },
  { title: 'To', cell: ({ toPriceId }) => <PriceLabel id={toPriceId} /> },
  { title: 'Status', cell: ({ status }) => <StatusBadge of={SYNC_STATUS[status]} /> },
  {
    title: 'Changes',
    end: true,
    cell: ({ counts }) => <span className="num">{formatCount(counts.to_change + counts.scheduled)}</span>,
  },
  { title: 'Skipped', end: true, cell: ({ counts }) => <span className="num">{formatCount(counts.skipped)}</span> },
];

/** Moves of all subscriptions of a price to another one. */
export function MigrationsPage() {
  const { billing, key } = useProject();
  const newest = useNewestMigration();
  const [starting, setStarting] = useState(useFilters().text('from') !== '');
  const start = (
    <Button kind="primary" icon="plus" onClick={() => setStarting(true)}>
      New report
    </Button>
  );
  const { data } = newest;
  return (
    <Page
      title="Price migrations"
      lead="Moves the subscriptions of a price to another one, each at the end of its period. A report first shows what would change, and for whom."
      up={{ page: 'products', title: 'Products' }}
      actions={data && isOpen(data) ? <StopButton of="migration" id={data.id} /> : start}
    >
      <Card flush>
        <ListTable
          label="Price migrations"
          queryKey={key('price-migrations', 'all', data?.id, data?.status)}
          list={(page, signal) => billing.priceMigrations.list(page, { signal })}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          empty={
            <EmptyState icon="products" title="No price was replaced yet" action={start}>
              To raise a price, create the new one, and move the subscriptions of the old one to it here.
            </EmptyState>
          }
        />
      </Card>
      {starting && <ReportDialog onClose={() => setStarting(false)} />}
    </Page>
  );
}

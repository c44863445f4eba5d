import type { PriceMigration, PriceMigrationFinding } from '@billing/client';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type ProjectScope, useProject } from '#api/project.ts';
import { randomHex } from '#api/random-hex.ts';
import { ExportButton } from '#layout/export-button.tsx';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { exportedColumn } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { PagedTable } from '#layout/paged-table.tsx';
import { DialogButton } from '#resource/dialog-button.tsx';
import { ConfirmWrite } from '#resource/write-dialogs.tsx';
import { formatExactMoney } from '#ui/money.ts';
import { EmptyState } from '#ui/states.tsx';
import { StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { customerColumn } from '../customers/customer-name.tsx';
import { currencyColumn, customerColumns } from '../exported-columns.ts';
import { SubscriptionIdLink } from '../products/product-name.tsx';
import { RunLead } from '../syncs/run.tsx';
import { StopButton } from '../syncs/run.tsx';
import { isOpen } from '../syncs/sync-counts.ts';
import { RUNNING_MS } from '../syncs/use-newest-syncs.ts';
import { MigrationDetails } from './migration-details.tsx';
import { explainMigration, MIGRATION_OUTCOME, migrationName, subscriptionsOf } from './migration-words.ts';
import { PriceLabel, usePriceName } from './price-label.tsx';
import { useMigration } from './use-migrations.ts';

const UP = { page: 'price-migrations', title: 'Price migrations' } as const;

/** One migration: how far it is, and what it does to each subscription. */
export function MigrationPage() {
  const { priceMigrationId = '' } = useParams({ strict: false });
  const query = useMigration(priceMigrationId);
  const nameOf = usePriceName();
  const { data: migration } = query;
  if (!migration) return <LoadingPage query={query} title="Price migration" up={UP} />;
  const { mode, status, counts } = migration;
  const isApplicable = mode === 'report' && status === 'completed' && counts.to_change > 0;
  return (
    <Page
      title={`${migrationName(migration)}: ${nameOf(migration.fromPriceId)} → ${nameOf(migration.toPriceId)}`}
      lead={<RunLead run={migration} />}
      up={UP}
      actions={
        isOpen(migration) ? (
          <StopButton of="migration" id={migration.id} />
        ) : (
          isApplicable && (
            <DialogButton kind="primary" dialog={<ApplyDialog report={migration} />}>
              Apply…
            </DialogButton>
          )
        )
      }
    >
      <MigrationDetails migration={migration} />
      <Findings migration={migration} />
    </Page>
  );
}

function Findings({ migration }: { readonly migration: PriceMigration }) {
  const { id, status } = migration;
  const scope = useProject();
  const outcome = useFilters().oneOf('outcome', MIGRATION_OUTCOME);
  const list = (page: object, signal: AbortSignal) =>
    scope.billing.priceMigrations.findings(id, { outcome, ...page }, { signal });
  return (
    <>
      <div className="filters">
        <SelectFilter name="outcome" label="Outcome" options={MIGRATION_OUTCOME} all="All outcomes" />
        <ExportButton<PriceMigrationFinding>
          name={`price-migration-${id}`}
          columns={exportedFindings(scope)}
          list={list}
        />
      </div>
      <Card flush>
        <PagedTable<PriceMigrationFinding>
          label="Subscriptions"
          queryKey={scope.key('price-migrations', id, 'findings', status, outcome)}
          list={list}
          columns={FINDING_COLUMNS}
          rowKey={({ subscriptionId }) => subscriptionId}
          empty={
            <EmptyState icon="search" title="Nothing here">
              {emptyText(migration, outcome !== undefined)}
            </EmptyState>
          }
          {...(isOpen(migration) && { refreshMs: RUNNING_MS * 3 })}
        />
      </Card>
    </>
  );
}

function emptyText(migration: PriceMigration, isFiltered: boolean): string {
  if (isFiltered) return 'No subscription has this outcome.';
  if (isOpen(migration)) return 'No subscription was looked at so far.';
  return 'No subscription has the price that is replaced, or none matches the filter.';
}

/** Asks before the changes of a report are scheduled, and says what that means. */
function ApplyDialog({ report }: { readonly report: PriceMigration }) {
  const { billing, key } = useProject();
  // Sent again because its response was lost, it is the same migration.
  const [idempotencyKey] = useState(() => randomHex(32));
  const { fromPriceId, toPriceId, keepDiscounts, filter, counts, finishedAt } = report;
  const { createdBefore, metadata } = filter;
  return (
    <ConfirmWrite
      title="Apply the price migration"
      action="Schedule the changes"
      write={() =>
        billing.priceMigrations.create(
          {
            mode: 'apply',
            fromPriceId,
            toPriceId,
            keepDiscounts,
            filter: { ...(createdBefore !== null && { createdBefore }), metadata },
          },
          { idempotencyKey },
        )
      }
      stale={[key()]}
      opens={({ id }) => `price-migrations/${id}`}
    >
      <div className="stack">
        <p>
          By the report of <Time at={finishedAt} show="time" />, {subscriptionsOf(counts.to_change)} will change from{' '}
          <PriceLabel id={fromPriceId} /> to <PriceLabel id={toPriceId} />, each at the end of its period.
          {!keepDiscounts && ' Their discounts end with the change.'}
        </p>
        <p className="muted">
          {counts.skipped > 0 && `${subscriptionsOf(counts.skipped)} will stay as they are. `}
          Nothing is charged today. What has changed since the report counts too. Each scheduled change can be taken
          back on its subscription, until it applies. Customers are not told: do that before.
        </p>
      </div>
    </ConfirmWrite>
  );
}

/** A monthly amount; tiers and usage have none. */
const monthly = (amount: string | null, currency: string) => (
  <span className="num">{amount === null ? '–' : formatExactMoney(amount, currency)}</span>
);

const FINDING_COLUMNS: readonly Column<PriceMigrationFinding>[] = [
  customerColumn,
  { title: 'Subscription', cell: ({ subscriptionId }) => <SubscriptionIdLink id={subscriptionId} /> },
  { title: 'Outcome', width: 'status', cell: ({ outcome }) => <StatusBadge of={MIGRATION_OUTCOME[outcome]} /> },
  { title: 'Why', cell: explainMigration },
  { title: 'A month', width: 'money', end: true, cell: ({ oldAmount, currency }) => monthly(oldAmount, currency) },
  { title: 'Then', width: 'money', end: true, cell: ({ newAmount, currency }) => monthly(newAmount, currency) },
  { title: 'Changes', width: 'date', end: true, cell: ({ effectiveAt }) => <Time at={effectiveAt} /> },
];

const exact = (amount: string | null) => ({ decimals: amount === null ? [] : [amount] });

/** The columns of an export of findings. */
const exportedFindings = (scope: ProjectScope): readonly Column<PriceMigrationFinding>[] => [
  ...customerColumns<PriceMigrationFinding>(scope),
  exportedColumn('Subscription id', ({ subscriptionId }) => subscriptionId),
  exportedColumn('Outcome', ({ outcome }) => outcome),
  exportedColumn('Why', finding => explainMigration(finding)),
  exportedColumn('Amount a month, in the smallest unit', ({ oldAmount }) => exact(oldAmount)),
  exportedColumn('New amount a month, in the smallest unit', ({ newAmount }) => exact(newAmount)),
  currencyColumn(),
  exportedColumn('Changes', ({ effectiveAt }) => effectiveAt),
  exportedColumn('Change id', ({ changeId }) => changeId),
];

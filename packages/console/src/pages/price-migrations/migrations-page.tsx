import type { Price, PriceMigration } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { pricesQuery } from '#api/queries.ts';
import { useFilters } from '#layout/filters.tsx';
import { type Column, ListTable } from '#layout/list-table.tsx';
import { Loading } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { linkColumn } from '#resource/tables.tsx';
import { useCreate } from '#resource/dialog-button.tsx';
import { control, FormFields, metadata } from '#resource/fields.tsx';
import { WriteDialog } from '#resource/write-dialogs.tsx';
import { formatCount } from '#ui/amount.ts';
import { SelectField } from '#ui/field.tsx';
import { textOf } from '#ui/form.tsx';
import { metadataOf } from '#ui/metadata-fields.tsx';
import { EmptyState } from '#ui/states.tsx';
import { StatusBadge, SYNC_STATUS } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { timeOf } from '../coupons/limit-fields.ts';
import { PriceOptions } from '../products/price-options.tsx';
import { StopButton } from '../syncs/run.tsx';
import { isOpen } from '../syncs/sync-counts.ts';
import { migrationName } from './migration-words.ts';
import { PriceLabel } from './price-label.tsx';
import { useNewestMigration } from './use-migrations.ts';

const COLUMNS: readonly Column<PriceMigration>[] = [
  linkColumn(
    'Started',
    ({ id }) => `price-migrations/${id}`,
    ({ createdAt }) => <Time at={createdAt} show="time" />,
  ),
  { title: 'Kind', width: 90, cell: migrationName },
  { title: 'From', cell: ({ fromPriceId }) => <PriceLabel id={fromPriceId} /> },
  { title: 'To', cell: ({ toPriceId }) => <PriceLabel id={toPriceId} /> },
  { title: 'Status', width: 'status', cell: ({ status }) => <StatusBadge of={SYNC_STATUS[status]} /> },
  {
    title: 'Changes',
    width: 'count',
    end: true,
    cell: ({ counts }) => <span className="num">{formatCount(counts.to_change + counts.scheduled)}</span>,
  },
  {
    title: 'Skipped',
    width: 'count',
    end: true,
    cell: ({ counts }) => <span className="num">{formatCount(counts.skipped)}</span>,
  },
];

/** Moves of all subscriptions of a price to another one. */
export function MigrationsPage() {
  const { billing, key } = useProject();
  const newest = useNewestMigration();
  const start = useCreate('New report', <ReportDialog />, useFilters().text('from') !== '');
  const { data } = newest;
  return (
    <Page
      title="Price migrations"
      lead="Moves the subscriptions of a price to another one, each at the end of its period. A report first shows what would change, and for whom."
      up={{ page: 'products', title: 'Products' }}
      actions={data && isOpen(data) ? <StopButton of="migration" id={data.id} /> : start.button}
    >
      <Card flush>
        <ListTable
          label="Price migrations"
          queryKey={key('price-migrations', 'all', data?.id, data?.status)}
          list={(page, signal) => billing.priceMigrations.list(page, { signal })}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          empty={
            <EmptyState icon="products" title="No price was replaced yet" action={start.button}>
              To raise a price, create the new one, and move the subscriptions of the old one to it here.
            </EmptyState>
          }
        />
      </Card>
      {start.dialog}
    </Page>
  );
}

/** By the beginnings of their codes. */
const REFUSALS = {
  no_change: 'toPriceId',
  price_inactive: 'toPriceId',
  product_inactive: 'toPriceId',
  price_type_mismatch: 'toPriceId',
  interval_mismatch: 'toPriceId',
} as const;

/** Starts the report of a migration, which changes nothing. */
function ReportDialog() {
  const { billing, key } = useProject();
  const query = useQuery(pricesQuery(useProject()));
  const [fromId, setFromId] = useState(useFilters().text('from'));
  const recurring = (query.data ?? []).filter(({ type }) => type === 'recurring');
  return (
    <WriteDialog
      title="Report of a price migration"
      lead="It changes nothing: it shows which subscriptions would change, and to what."
      action="Start the report"
      write={async (fields: FormData) =>
        billing.priceMigrations.create({
          mode: 'report',
          fromPriceId: textOf(fields, 'fromPriceId'),
          toPriceId: textOf(fields, 'toPriceId'),
          keepDiscounts: fields.has('keepDiscounts'),
          filter: { createdBefore: timeOf(fields, 'filter.createdBefore'), metadata: metadataOf(fields) },
        })
      }
      stale={[key('price-migrations')]}
      opens={({ id }) => `price-migrations/${id}`}
      refusals={REFUSALS}
      fields={[
        { kind: 'other', names: [], show: () => <Loading query={query} lines={2} /> },
        control(SelectField, {
          name: 'fromPriceId',
          label: 'From the price',
          required: true,
          value: fromId,
          onChange: event => setFromId(event.target.value),
          children: <ChosenPrice of={recurring} />,
        }),
        control(SelectField, {
          name: 'toPriceId',
          label: 'To the price',
          required: true,
          hint: 'For sale, in the same currency.',
          children: <ChosenPrice of={targetsOf(recurring, fromId)} />,
        }),
        { kind: 'check', name: 'keepDiscounts', label: 'Keep the discounts of subscriptions', defaultChecked: true },
        {
          kind: 'other',
          names: ['filter.createdBefore', 'filter.metadata'],
          show: problems => (
            <details className="more">
              <summary>Only some of its subscriptions</summary>
              <div className="stack">
                <FormFields
                  problems={problems}
                  of={[
                    {
                      name: 'filter.createdBefore',
                      label: 'Created before',
                      type: 'datetime-local',
                      hint: 'All of them unless given.',
                    },
                    metadata({ name: 'filter.metadata', hint: 'Only subscriptions that have all of these.' }),
                  ]}
                />
              </div>
            </details>
          ),
        },
      ]}
    />
  );
}

const ChosenPrice = ({ of }: Parameters<typeof PriceOptions>[0]) => (
  <>
    <option value="">Choose one</option>
    <PriceOptions of={of} />
  </>
);

/** Returns the prices that subscriptions of a price can move to: others that are for sale, in its currency. */
function targetsOf(recurring: readonly Price[], fromId: string): readonly Price[] {
  const from = recurring.find(({ id }) => id === fromId);
  if (!from) return [];
  return recurring.filter(
    ({ id, isActive, currency, usageType }) =>
      id !== fromId && isActive && currency === from.currency && usageType === from.usageType,
  );
}

import type { Subscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useProject, type ProjectScope } from '#api/project.ts';
import { pricesQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { ListFilters, useListFilters } from '#layout/list-filters.tsx';
import { exportedColumn, ListPage, sortedBy } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatPrice } from '#ui/amount.ts';
import { decimalText } from '#ui/money.ts';
import { EmptyState } from '#ui/states.tsx';
import { SUBSCRIPTION_STATUS } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { customerColumns, productFinder } from '../exported-columns.ts';
import { customerColumn, SUBSCRIPTION_COLUMNS } from './columns.tsx';

const CREATED: Column<Subscription> = { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> };
const COLUMNS = sortedBy('Created', [
  customerColumn,
  ...SUBSCRIPTION_COLUMNS.flatMap(column => (column.title === 'Next' ? [CREATED, column] : [column])),
]);

export function SubscriptionsPage() {
  const scope = useProject();
  const filters = useFilters();
  const { shown, isFiltered } = useListFilters();
  const prices = usePriceOptions();
  const status = filters.oneOf('status', SUBSCRIPTION_STATUS);
  const priceId = filters.text('priceId') || undefined;
  const wanted = { ...shown, ...(status ? { status } : { activeOnly: false }), priceId };
  return (
    <ListPage
      title="Subscriptions"
      lead="What your customers pay for regularly."
      nouns={['subscription', 'subscriptions']}
      exported={{ name: 'subscriptions', columns: useMemo(() => exportedColumns(scope), [scope]) }}
      filters={
        <>
          <SelectFilter name="status" label="Status" options={SUBSCRIPTION_STATUS} all="All statuses" />
          <SelectFilter name="priceId" label="Price" options={prices} all="All prices" />
          <ListFilters />
        </>
      }
      queryKey={scope.key('subscriptions', wanted)}
      list={(page, signal) => scope.billing.subscriptions.list({ ...wanted, ...page }, { signal })}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      empty={
        isFiltered || status || priceId ? (
          <EmptyState icon="search" title="No subscription matches">
            Choose other filters to see more.
          </EmptyState>
        ) : (
          <EmptyState
            icon="subscriptions"
            title="No subscriptions yet"
            action={
              <ProjectLink page="start" className="button">
                Try a checkout
              </ProjectLink>
            }
          >
            A subscription begins when a customer completes a checkout. It appears here with the webhook from Stripe, a
            moment after the payment.
          </EmptyState>
        )
      }
    />
  );
}

function exportedColumns(scope: ProjectScope): readonly Column<Subscription>[] {
  const products = productFinder(scope);
  return [
    exportedColumn('Id', ({ id }) => id),
    exportedColumn('Status', ({ status }) => status),
    ...customerColumns<Subscription>(scope),
    exportedColumn('Product', ({ items }) => products.ofItems(items)),
    exportedColumn('Quantity', ({ items }) => items.map(({ quantity }) => quantity).join('; ')),
    exportedColumn('Unit amount', ({ items }) => items.map(unitAmountText).join('; ')),
    exportedColumn('Currency', ({ items }) => items[0]?.currency.toUpperCase()),
    exportedColumn('Interval', ({ items }) => items.map(intervalText).join('; ')),
    exportedColumn('Created', ({ createdAt }) => createdAt),
    exportedColumn('Started', ({ startedAt }) => startedAt),
    exportedColumn('Period ends', ({ currentPeriodEnd }) => currentPeriodEnd),
    exportedColumn('Ends', ({ cancelAt }) => cancelAt),
    exportedColumn('Ended', ({ endedAt }) => endedAt),
    exportedColumn('Stripe id', ({ processorSubscriptionId }) => processorSubscriptionId),
  ];
}

type Item = Subscription['items'][number];
/** Empty for a price in tiers. */
const unitAmountText = ({ unitAmount, currency }: Item) =>
  unitAmount === null ? '' : decimalText(unitAmount, currency);
const intervalText = ({ interval, intervalCount }: Item) =>
  intervalCount === 1 ? interval : `${intervalCount} ${interval}s`;

/** Every price with its product, for a filter. */
function usePriceOptions(): Readonly<Record<string, { readonly name: string }>> {
  const { data: prices = [] } = useQuery(pricesQuery(useProject()));
  const names = useProductNames();
  return Object.fromEntries(
    prices.map(price => [price.id, { name: `${names.ofPrice(price.id) ?? ''}: ${formatPrice(price)}` }]),
  );
}

import type { Subscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useProject, type ProjectScope } from '#api/project.ts';
import { pricesQuery, productsQuery } from '#api/queries.ts';
import { SearchFilter, SelectFilter, useFilters } from '#layout/filters.tsx';
import { ListFilters, useListFilters } from '#layout/list-filters.tsx';
import { exportedColumn, ListPage, sortedBy } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { decimalText } from '#ui/money.ts';
import { EmptyState } from '#ui/states.tsx';
import { SUBSCRIPTION_STATUS } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { customerColumn } from '../customers/customer-name.tsx';
import { customerColumns, productFinder } from '../exported-columns.ts';
import { usePriceText } from '../products/price-options.tsx';
import { SUBSCRIPTION_COLUMNS } from './columns.tsx';

const CREATED: Column<Subscription> = {
  title: 'Created',
  width: 'date',
  cell: ({ createdAt }) => <Time at={createdAt} />,
};
const COLUMNS = sortedBy('Created', [
  customerColumn,
  ...SUBSCRIPTION_COLUMNS.flatMap(column => (column.title === 'Next' ? [CREATED, column] : [column])),
]);

/** What the tax of listed subscriptions may be chosen by. */
const TAX = { stopped: { name: 'Tax stopped' } } as const;

export function SubscriptionsPage() {
  const scope = useProject();
  const filters = useFilters();
  const { shown, isFiltered } = useListFilters();
  const status = filters.oneOf('status', SUBSCRIPTION_STATUS);
  const priceId = filters.text('priceId') || undefined;
  const productId = filters.text('productId') || undefined;
  const search = filters.text('search') || undefined;
  const taxStopped = filters.oneOf('tax', TAX) && ('true' as const);
  const sold = useSoldOptions(productId);
  const wanted = { ...shown, ...(status ? { status } : { activeOnly: false }), priceId, productId, search, taxStopped };
  const isChosen = isFiltered || [status, priceId, productId, search, taxStopped].some(Boolean);
  return (
    <ListPage
      title="Subscriptions"
      lead="What your customers pay for regularly."
      nouns={['subscription', 'subscriptions']}
      exported={{ name: 'subscriptions', columns: useMemo(() => exportedColumns(scope), [scope]) }}
      filters={
        <>
          <SearchFilter name="search" label="Customer or amount" />
          <SelectFilter name="status" label="Status" options={SUBSCRIPTION_STATUS} all="All statuses" />
          <SelectFilter name="productId" label="Product" options={sold.products} all="All products" />
          {(productId ?? priceId) && (
            <SelectFilter name="priceId" label="Price" options={sold.prices} all="All prices" />
          )}
          <SelectFilter name="tax" label="Tax" options={TAX} all="Any tax" />
          <ListFilters />
        </>
      }
      queryKey={scope.key('subscriptions', wanted)}
      list={(page, signal) => scope.billing.subscriptions.list({ ...wanted, ...page }, { signal })}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      empty={
        isChosen ? (
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
    exportedColumn('Quantity', ({ items }) => ({ decimals: items.map(({ quantity }) => String(quantity)) })),
    exportedColumn('Unit amount', ({ items }) => ({ decimals: items.map(unitAmountText) })),
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

/** Every product, and the prices of one or of all, for filters. */
function useSoldOptions(productId: string | undefined) {
  const scope = useProject();
  const { data: products = [] } = useQuery(productsQuery(scope));
  const { data: prices = [] } = useQuery(pricesQuery(scope));
  const textOf = usePriceText();
  return {
    products: Object.fromEntries(products.map(product => [product.id, product])),
    prices: Object.fromEntries(
      prices
        .filter(price => !productId || price.productId === productId)
        .map(price => [price.id, { name: textOf(price) }]),
    ),
  };
}

import type { Subscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { pricesQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { exportedColumn, ListPage } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatPrice } from '#ui/amount.ts';
import { EmptyState } from '#ui/states.tsx';
import { SUBSCRIPTION_STATUS } from '#ui/statuses.tsx';
import { customerColumn, SUBSCRIPTION_COLUMNS } from './columns.tsx';

const COLUMNS = [customerColumn, ...SUBSCRIPTION_COLUMNS];
const EXPORTED: readonly Column<Subscription>[] = [
  exportedColumn('Id', ({ id }) => id),
  ...COLUMNS,
  exportedColumn('Started', ({ startedAt }) => startedAt),
  exportedColumn('Stripe id', ({ processorSubscriptionId }) => processorSubscriptionId),
];

export function SubscriptionsPage() {
  const scope = useProject();
  const { billing, key } = scope;
  const filters = useFilters();
  const prices = usePriceOptions();
  const status = filters.oneOf('status', SUBSCRIPTION_STATUS);
  const priceId = filters.text('priceId') || undefined;
  const list = (page: { limit: number; offset: number }, signal: AbortSignal) =>
    billing.subscriptions.list({ ...(status ? { status } : { activeOnly: false }), priceId, ...page }, { signal });
  return (
    <ListPage
      title="Subscriptions"
      lead="What your customers pay for regularly."
      exported={{ name: 'subscriptions', columns: EXPORTED }}
      filters={
        <>
          <SelectFilter name="status" label="Status" options={SUBSCRIPTION_STATUS} all="All statuses" />
          <SelectFilter name="priceId" label="Price" options={prices} all="All prices" />
        </>
      }
      queryKey={key('subscriptions', { status, priceId })}
      list={list}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      empty={
        status || priceId ? (
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

/** Every price with its product, for a filter. */
function usePriceOptions(): Readonly<Record<string, { readonly name: string }>> {
  const { data: prices = [] } = useQuery(pricesQuery(useProject()));
  const names = useProductNames();
  return Object.fromEntries(
    prices.map(price => [price.id, { name: `${names.ofPrice(price.id) ?? ''}: ${formatPrice(price)}` }]),
  );
}

import { List, type Customer, type CustomersByMrrFilters, type PageOptions } from '@billing/client';
import { queryClient } from '#api/client.ts';
import { findCustomer } from '#api/customer-names.ts';
import { type ProjectScope, useProjectDetails } from '#api/project.ts';
import { pricesQuery } from '#api/queries.ts';
import { useFilters } from '#layout/filters.tsx';
import { parseMoney } from '#ui/parse-money.ts';

/** What the list shows of a customer. A deleted one may still have subscriptions, and nothing but its id. */
export type ListedCustomer = Pick<Customer, 'id' | 'name' | 'externalId'> & {
  readonly [Name in 'email' | 'createdAt' | 'processorCustomerId']: Customer[Name] | null;
};

interface MrrFilters extends Pick<CustomersByMrrFilters, 'currency' | 'minMrr' | 'maxMrr'> {
  readonly productId: string | undefined;
}

/** The filters of the customers by MRR, as the address has them, and what is wrong with an amount, which then filters nothing. */
export function useMrrFilters() {
  const { text } = useFilters();
  const { baseCurrency: currency } = useProjectDetails();
  const productId = text('productId') || undefined;
  const read = (typed: string) => (typed === '' ? undefined : parseMoney(typed, currency));
  const [min, max] = [read(text('minMrr')), read(text('maxMrr'))];
  const wanted: MrrFilters = { currency, minMrr: min?.amount, maxMrr: max?.amount, productId };
  return { wanted, problem: min?.problem ?? max?.problem };
}

/** Lists customers, those with the highest MRR first, and keeps their figures for the cells that show them. */
export const customersByMrr = (
  scope: ProjectScope,
  { productId, ...filters }: MrrFilters,
  firstPage: PageOptions,
  signal: AbortSignal,
): List<ListedCustomer> =>
  new List(firstPage, async page => {
    // Analytics knows the prices of subscriptions alone.
    const prices = productId && (await queryClient.fetchQuery({ ...pricesQuery(scope), staleTime: 60_000 }));
    const priceIds = prices && prices.filter(price => price.productId === productId).map(({ id }) => id);
    if (priceIds?.length === 0) return { items: [], hasMore: false, nextCursor: null, total: 0, totalIsExact: true };
    const query = { ...filters, ...(priceIds && { priceIds }), ...page };
    const { items, ...rest } = await scope.billing.analytics.customersByMrr(query, { signal }).page();
    for (const figures of items)
      queryClient.setQueryData(scope.key('customer-metrics', figures.customerId), {
        ...figures,
        id: figures.customerId,
      });
    const nothing = { email: null, createdAt: null, processorCustomerId: null };
    const customers = items.map(async ({ customerId: id }) => (await findCustomer(scope, id)) ?? { id, ...nothing });
    return { ...rest, items: await Promise.all(customers) };
  });

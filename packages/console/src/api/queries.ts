import type { List } from '@billing/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ProjectScope } from './project.ts';

/** Returns every item of a list, whose pages have up to 1,000 where the list takes no limit. */
async function collect<Item>(list: List<Item>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}

/** Queries that several pages share. */
export const processorQuery = ({ team, teamKey }: ProjectScope) =>
  queryOptions({
    queryKey: teamKey('processor'),
    queryFn: ({ signal }) => team.processor.get({ signal }),
    staleTime: 30_000,
  });

export const membersQuery = ({ team, teamKey }: ProjectScope) =>
  queryOptions({
    queryKey: teamKey('members'),
    queryFn: async ({ signal }) => (await team.members.list({}, { signal }).page()).items,
    staleTime: 60_000,
  });

export const productsQuery = ({ billing, key }: ProjectScope) =>
  queryOptions({
    queryKey: key('products'),
    queryFn: ({ signal }) => collect(billing.products.list({ activeOnly: false, limit: undefined }, { signal })),
  });

export const pricesQuery = ({ billing, key }: ProjectScope) =>
  queryOptions({
    queryKey: key('prices'),
    queryFn: ({ signal }) => collect(billing.prices.list({ activeOnly: false, limit: undefined }, { signal })),
  });

export const customerQuery = ({ billing, key }: ProjectScope, customerId: string) =>
  queryOptions({
    queryKey: key('customer', customerId),
    queryFn: ({ signal }) => billing.customers.get(customerId, { signal }),
    staleTime: 30_000,
  });

export const testClockQuery = ({ billing, key }: ProjectScope, testClockId: string) =>
  queryOptions({
    queryKey: key('test-clocks', 'one', testClockId),
    queryFn: ({ signal }) => billing.testClocks.get(testClockId, { signal }),
  });

export const subscriptionQuery = ({ billing, key }: ProjectScope, subscriptionId: string) =>
  queryOptions({
    queryKey: key('subscriptions', 'one', subscriptionId),
    queryFn: ({ signal }) => billing.subscriptions.get(subscriptionId, { signal }),
  });

/** What waits for the next invoice of a subscription: a new invoice changes it. */
export const nextItemsQuery = ({ billing, key }: ProjectScope, subscriptionId: string) =>
  queryOptions({
    queryKey: key('invoices', 'next', subscriptionId),
    queryFn: ({ signal }) => billing.subscriptions.listInvoiceItems(subscriptionId, { signal }),
  });

/** A record named by its id, for those that show it in passing; null when there is none. */
export const foundQuery = <Item>(
  scope: ProjectScope,
  kind: string,
  find: (scope: ProjectScope, id: string) => Promise<Item | null>,
  id: string | null,
) =>
  queryOptions({
    queryKey: scope.key(kind, id),
    queryFn: () => (id === null ? null : find(scope, id)),
    staleTime: 60_000,
  });

export const apiKeysQuery = ({ team, projectId, key }: ProjectScope) =>
  queryOptions({
    queryKey: key('api-keys'),
    queryFn: async ({ signal }) => (await team.apiKeys.list(projectId, {}, { signal }).page()).items,
  });

/** What failed payments amount to, by what became of them: of all, or of those that failed in a range of time. */
export const dunningTotalsQuery = (
  { billing, key }: ProjectScope,
  range: { readonly since: string | undefined; readonly until: string | undefined },
) =>
  queryOptions({
    queryKey: key('dunning', 'totals', range),
    queryFn: ({ signal }) => billing.dunning.totals(range, { signal }),
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  });

/** As many as a page of a list has. */
const PAGE = { limit: 100 } as const;

export const featuresQuery = ({ billing, key }: ProjectScope) =>
  queryOptions({
    queryKey: key('features'),
    queryFn: ({ signal }) => collect(billing.features.list(PAGE, { signal })),
  });

/** What products and prices give: of a feature, of a product and its prices, or of all. */
export const givenQuery = (
  { billing, key }: ProjectScope,
  filters: { readonly featureKey?: string; readonly productId?: string } = {},
) =>
  queryOptions({
    queryKey: key('given', filters),
    queryFn: ({ signal }) => collect(billing.features.listGiven({ ...filters, ...PAGE }, { signal })),
  });

export const grantsQuery = ({ billing, key }: ProjectScope, customerId: string) =>
  queryOptions({
    queryKey: key('grants', customerId),
    queryFn: ({ signal }) => billing.grants.list(customerId, { signal }),
    refetchInterval: 5_000,
  });

export const couponQuery = ({ billing, key }: ProjectScope, couponId: string) =>
  queryOptions({
    queryKey: key('coupons', 'one', couponId),
    queryFn: ({ signal }) => billing.coupons.get(couponId, { signal }),
  });

export const promotionCodeQuery = ({ billing, key }: ProjectScope, promotionCodeId: string) =>
  queryOptions({
    queryKey: key('promotion-codes', 'one', promotionCodeId),
    queryFn: ({ signal }) => billing.promotionCodes.get(promotionCodeId, { signal }),
  });

export const billingDetailsQuery = ({ billing, key }: ProjectScope, customerId: string) =>
  queryOptions({
    queryKey: key('billing-details', customerId),
    queryFn: ({ signal }) => billing.billingDetails.get(customerId, { signal }),
  });

/** What a customer may use, as the product reads it. */
export const stateQuery = ({ billing, key }: ProjectScope, customerId: string) =>
  queryOptions({
    queryKey: key('state', customerId),
    queryFn: ({ signal }) => billing.states.get(customerId, {}, { signal }),
    refetchInterval: 1_000,
  });

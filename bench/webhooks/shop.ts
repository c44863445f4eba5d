import type { Tenant } from '../tenant.ts';

/** What the subscriptions of a run have in common; both sides receive the same events. */
export interface Shop {
  readonly teamId: string;
  readonly projectId: string;
  readonly priceId: string;
  readonly processorPriceId: string;
  readonly processorProductId: string;
  readonly customers: readonly { readonly id: string; readonly processorCustomerId: string }[];
  readonly subscriptions: number;
  /** When the subscriptions started, in Unix seconds. */
  readonly startedAt: number;
}

/** Customers that are created at the same time. */
const PARALLEL = 16;
/** What each unit of a subscription costs a month, in cents. */
export const UNIT_AMOUNT = 2_999;
/** Far enough in the past that no event of the run lies in the future or matches a recent write of ours. */
const STARTED_SECONDS_AGO = 30 * 86_400;

/** Creates the price that the subscriptions refer to, and customers: one for each subscription unless given. */
export async function newShop(
  { teamId, projectId, billing }: Tenant,
  subscriptions: number,
  customerCount = subscriptions,
): Promise<Shop> {
  const product = await billing.products.create({ name: 'Bench', description: 'For everybody' });
  const price = await billing.prices.create({
    productId: product.id,
    unitAmount: UNIT_AMOUNT,
    currency: 'usd',
    interval: 'month',
  });
  const customers: Shop['customers'][number][] = [];
  let left = customerCount;
  const create = async () => {
    while (left-- > 0) customers.push(await billing.customers.create({ email: `${crypto.randomUUID()}@example.com` }));
  };
  await Promise.all(Array.from({ length: PARALLEL }, create));
  return {
    teamId,
    projectId,
    priceId: price.id,
    processorPriceId: price.processorPriceId,
    processorProductId: product.processorProductId,
    customers,
    subscriptions,
    startedAt: Math.floor(Date.now() / 1_000) - STARTED_SECONDS_AGO,
  };
}

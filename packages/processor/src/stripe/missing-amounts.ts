import { nullIfMissing } from '../errors.ts';
import type { PriceSnapshot } from '../snapshots/catalog.ts';
import { amountIn, lacksAmounts, withAmounts, type SubscriptionSnapshot } from '../snapshots/subscription.ts';

/**
 * Returns the subscription with the amounts of its prices in its own currency. Stripe's objects lack them where that is
 * not the default currency of the price, so `findPrice` reads these prices. https://docs.stripe.com/api/prices/object
 */
export async function addMissingAmounts(
  snapshot: SubscriptionSnapshot,
  findPrice: (id: string) => Promise<PriceSnapshot>,
): Promise<SubscriptionSnapshot> {
  if (!lacksAmounts(snapshot)) return snapshot;
  const ids = new Set(snapshot.items.flatMap(({ amount, price }) => (amount === null ? [price.id] : [])));
  // The amount of a price that is gone can't be known.
  const prices = await Promise.all([...ids].map(id => findPrice(id).catch(nullIfMissing)));
  const byId = new Map(prices.flatMap(price => (price ? [[price.id, price] as const] : [])));
  return withAmounts(snapshot, ({ price: { id } }) => {
    const price = byId.get(id);
    return (price && amountIn(snapshot.currency, price)) ?? { unitAmount: null, unitAmountDecimal: null };
  });
}

import { nullIfMissing } from '../errors.ts';
import type { Discounts } from '../discounts.ts';
import type { SubscriptionSnapshot } from '../snapshots/subscription.ts';
import { lacksDiscounts, withDiscounts, withoutUnknownDiscounts } from '../snapshots/subscription-discounts.ts';

export type DiscountReads = Pick<Discounts, 'findItemDiscounts' | 'findCustomerDiscount'>;

/**
 * Returns the subscription with what the discounts of its items and of its customer take off, which no read of a subscription
 * contains. Those that are gone by then are left out.
 */
export async function addMissingDiscounts(
  snapshot: SubscriptionSnapshot,
  { findItemDiscounts, findCustomerDiscount }: DiscountReads,
): Promise<SubscriptionSnapshot> {
  if (!lacksDiscounts(snapshot)) return snapshot;
  const { items, customerId, customerDiscount, currency } = snapshot;
  const lacking = items.filter(item => item.discounts.some(({ detail }) => detail === null));
  const [ofCustomer, ...ofItems] = await Promise.all([
    customerDiscount?.detail === null ? findCustomerDiscount(customerId, currency).catch(nullIfMissing) : null,
    ...lacking.map(({ id }) => findItemDiscounts(id, currency).catch(nullIfMissing)),
  ]);
  const found = [...ofItems.flatMap(it => it ?? []), ...(ofCustomer ? [ofCustomer] : [])];
  const detailOf = (id: string) => found.find(it => it.id === id)?.detail ?? undefined;
  const filled = withDiscounts(snapshot, detailOf);
  // Another discount may have taken the place of the customer's since.
  const isReplaced = customerDiscount?.detail === null && ofCustomer?.id !== customerDiscount.id;
  return withoutUnknownDiscounts(isReplaced ? { ...filled, customerDiscount: ofCustomer ?? null } : filled);
}

import type { DiscountDetail, DiscountSnapshot } from './discounts.ts';
import type { SubscriptionSnapshot } from './subscription.ts';

/** Returns the subscription with other discounts: its own, those of its items, and that of its customer. */
export function mapDiscounts(
  snapshot: SubscriptionSnapshot,
  change: (discount: DiscountSnapshot) => DiscountSnapshot,
): SubscriptionSnapshot {
  const { items, discounts, customerDiscount: ofCustomer } = snapshot;
  return {
    ...snapshot,
    items: items.map(item => ({ ...item, discounts: item.discounts.map(change) })),
    discounts: discounts.map(change),
    customerDiscount: ofCustomer && change(ofCustomer),
  };
}

/** Returns all that is known of what is taken off: of the items, of the subscription, and of its customer. */
export const allDiscounts = ({
  items,
  discounts,
  customerDiscount: ofCustomer,
}: Pick<SubscriptionSnapshot, 'items' | 'discounts' | 'customerDiscount'>): readonly DiscountSnapshot[] => [
  ...items.flatMap(item => item.discounts),
  ...discounts,
  ...(ofCustomer ? [ofCustomer] : []),
];

/** Returns the discounts that bills of the whole subscription have: its own, or that of its customer. */
export const billedDiscounts = ({
  discounts,
  customerDiscount: ofCustomer,
}: Pick<SubscriptionSnapshot, 'discounts' | 'customerDiscount'>): readonly DiscountSnapshot[] =>
  discounts.length > 0 || !ofCustomer ? discounts : [ofCustomer];

/** Returns the subscription with the discounts that `find` knows in place of those of which only the id is known. */
export function withDiscounts(
  snapshot: SubscriptionSnapshot,
  find: (id: string) => DiscountDetail | undefined,
): SubscriptionSnapshot {
  if (!lacksDiscounts(snapshot)) return snapshot;
  return mapDiscounts(snapshot, ({ id, detail }) => ({ id, detail: detail ?? find(id) ?? null }));
}

/** Returns the subscription without the discounts of which only the id is known. */
export function withoutUnknownDiscounts(snapshot: SubscriptionSnapshot): SubscriptionSnapshot {
  if (!lacksDiscounts(snapshot)) return snapshot;
  const isKnown = ({ detail }: DiscountSnapshot) => detail !== null;
  const { items, discounts, customerDiscount: ofCustomer } = snapshot;
  return {
    ...snapshot,
    items: items.map(item => ({ ...item, discounts: item.discounts.filter(isKnown) })),
    discounts: discounts.filter(isKnown),
    customerDiscount: ofCustomer && !isKnown(ofCustomer) ? undefined : ofCustomer,
  };
}

/** Returns whether a discount of the subscription has to be read at the processor. */
export const lacksDiscounts = (snapshot: SubscriptionSnapshot): boolean =>
  allDiscounts(snapshot).some(({ detail }) => detail === null);

import type { BilledDiscount } from '@billing/contracts/events/subscriptions';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import {
  allDiscounts,
  withDiscounts,
  withoutUnknownDiscounts,
} from '@billing/processor/snapshots/subscription-discounts';
import type { DiscountDetail, DiscountSnapshot } from '@billing/processor/snapshots/discounts';

/** A discount, as the processor has it: all but our own ids. */
export type DiscountTerms = Omit<BilledDiscount, 'couponId' | 'promotionCodeId'>;

type Place = Pick<DiscountTerms, 'level' | 'itemIndex'>;

/**
 * Returns all discounts that a snapshot shows, in the order in which they are applied: those of items, of the subscription, and
 * of its customer, also where that does not count (`appliedDiscounts`). An object without its customer leaves the recorded one.
 */
export function readDiscounts(
  { items, discounts, customerDiscount }: Pick<SubscriptionSnapshot, 'items' | 'discounts' | 'customerDiscount'>,
  recorded: readonly DiscountTerms[],
): DiscountTerms[] {
  const termsOf = (found: readonly DiscountSnapshot[], level: Place['level'], itemIndex: number | null = null) =>
    found.map(it => discountTerms(it, { level, itemIndex }, recorded));
  return [
    ...items.flatMap((item, index) => termsOf(item.discounts, 'item', index)),
    ...termsOf(discounts, 'subscription'),
    ...(customerDiscount === undefined
      ? recorded.filter(({ level }) => level === 'customer')
      : termsOf(customerDiscount ? [customerDiscount] : [], 'customer')),
  ];
}

/** Of a discount of which only the id is known nothing else is; of one whose coupon is gone, what is recorded. */
function discountTerms(
  { id, detail }: DiscountSnapshot,
  place: Place,
  recorded: readonly DiscountTerms[],
): DiscountTerms {
  const known = detail?.coupon ? undefined : recorded.find(it => id !== '' && it.processorDiscountId === id);
  if (known) return { ...known, ...place };
  const { couponId = null, promotionCodeId = null, coupon = null, endsAt = null } = detail ?? {};
  return {
    ...place,
    processorDiscountId: id,
    processorCouponId: couponId,
    processorPromotionCodeId: promotionCodeId,
    percentOff: coupon?.percentOff ?? null,
    amountOff: coupon?.amountOff ?? null,
    currency: coupon?.currency ?? null,
    duration: coupon?.duration ?? null,
    processorProductIds: coupon?.productIds ? [...coupon.productIds] : null,
    endsAt,
  };
}

/**
 * Returns what is recorded of a discount of what is billed in a currency; undefined for an amount in another one, which the
 * processor has to be asked for: the coupon may have one in that currency.
 */
export function recordedDiscount(
  recorded: readonly DiscountTerms[],
  discountId: string,
  billedIn: string | null,
): DiscountDetail | undefined {
  const found = recorded.find(it => it.processorDiscountId === discountId);
  if (!found || (found.currency !== null && found.currency !== billedIn)) return undefined;
  const { processorCouponId, processorPromotionCodeId, endsAt } = found;
  const { percentOff, amountOff, currency, duration, processorProductIds: productIds } = found;
  const coupon = duration === null ? null : { percentOff, amountOff, currency, duration, productIds };
  return { couponId: processorCouponId, promotionCodeId: processorPromotionCodeId, coupon, endsAt };
}

/**
 * Takes the discounts that an event lacks from what was read of the subscription, null for one that is gone, without those that
 * it no longer has; that of its customer only for a new record, because a recorded one may be newer.
 */
export function withCurrentDiscounts(
  snapshot: SubscriptionSnapshot,
  current: SubscriptionSnapshot | null,
  isNew: boolean,
): SubscriptionSnapshot {
  const found = current ? allDiscounts(current) : [];
  const filled = withDiscounts(snapshot, id => found.find(it => it.id === id)?.detail ?? undefined);
  const known = withoutUnknownDiscounts(filled);
  return isNew ? { ...known, customerDiscount: current?.customerDiscount ?? null } : known;
}

/**
 * Returns the discounts that count: that of the customer only where the subscription has none of its own. Those of items do
 * not replace it. https://docs.stripe.com/api/subscriptions/create#create_subscription-discounts
 */
export function appliedDiscounts<Discount extends Pick<Place, 'level'>>(all: readonly Discount[]): Discount[] {
  const hasOwn = all.some(({ level }) => level === 'subscription');
  return all.filter(({ level }) => level !== 'customer' || !hasOwn);
}

/** Returns the discounts of the subscription itself: not those of its items or its customer. */
export const ownDiscounts = <Discount extends Pick<Place, 'level'>>(all: readonly Discount[]): Discount[] =>
  all.filter(({ level }) => level === 'subscription');

import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import type { Rebate } from '../domain/discounts.ts';
import { periodStart } from '../domain/periods.ts';
import { nulls } from './nulls.ts';
import type { Coupon, Discount, PromotionCode } from './stored.ts';

/** Returns why a coupon can't be redeemed now; null if it can. */
export function couponProblem(unit: UnitOfWork, coupon: Coupon): string | null {
  if (unit.tables.removed_coupon.get(coupon.id)) return `No such coupon: '${coupon.id}'`;
  if (coupon.redeem_by !== null && coupon.redeem_by < unit.now) return `Coupon ${coupon.id} has expired.`;
  const isUsedUp = coupon.max_redemptions !== null && coupon.times_redeemed >= coupon.max_redemptions;
  return isUsedUp ? `Coupon ${coupon.id} has been redeemed the maximum number of times.` : null;
}

/** Returns a coupon as the API shows it now. */
export const shownCoupon = (unit: UnitOfWork, coupon: Coupon): Coupon => ({
  ...coupon,
  valid: couponProblem(unit, coupon) === null,
});

/** Returns why a promotion code can't be redeemed now, whoever redeems it; null if it can. */
export function codeProblem(unit: UnitOfWork, code: PromotionCode): string | null {
  if (!code.active) return 'This promotion code is inactive.';
  if (code.expires_at !== null && code.expires_at <= unit.now) return 'This promotion code has expired.';
  const isUsedUp = code.max_redemptions !== null && code.times_redeemed >= code.max_redemptions;
  if (isUsedUp) return 'This promotion code has been redeemed the maximum number of times.';
  const coupon = unit.tables.coupon.get(code.promotion.coupon);
  // The coupon of an older code was deleted, and another one made under its id.
  const isOwn = coupon && coupon.created <= code.created;
  return isOwn ? couponProblem(unit, coupon) : 'This promotion code has no coupon.';
}

export const isSameCode = (some: string, other: string): boolean => some.toLowerCase() === other.toLowerCase();

/** Returns a promotion code as the API shows it now. */
export const shownCode = (unit: UnitOfWork, code: PromotionCode): PromotionCode => ({
  ...code,
  active: codeProblem(unit, code) === null,
});

/** Returns what a coupon takes off in a currency; null for a percentage, and for a currency that it has no amount in. */
export const amountOffIn = (unit: UnitOfWork, { id }: Coupon, currency: string): number | null =>
  unit.tables.coupon_detail.get(id)?.currencyOptions?.[currency]?.amount_off ?? null;

/** Returns what a discount takes off. Null when its coupon is not known here. */
export function rebateOf(unit: UnitOfWork, discount: Discount, currency: string): Rebate | null {
  const coupon = unit.tables.coupon.get(discount.source.coupon);
  if (!coupon) return null;
  return {
    id: discount.id,
    percentOff: coupon.percent_off,
    amountOff: amountOffIn(unit, coupon, currency),
    products: unit.tables.coupon_detail.get(coupon.id)?.products ?? null,
    item: discount.subscription_item,
  };
}

interface NewDiscount {
  coupon: Coupon;
  promotionCode: string | null;
  customer: string | null;
  subscription: string | null;
}

/** Returns a discount that begins now. */
export function newDiscount(unit: UnitOfWork, given: NewDiscount): Discount {
  const { coupon } = given;
  const months = coupon.duration === 'repeating' ? coupon.duration_in_months : null;
  return {
    id: newId('di_1'),
    object: 'discount',
    ...nulls('checkout_session customer_account invoice invoice_item subscription_item'),
    customer: given.customer,
    end: months === null ? null : periodStart(unit.now, { interval: 'month', count: months }, 1),
    promotion_code: given.promotionCode,
    source: { coupon: coupon.id, type: 'coupon' },
    start: unit.now,
    subscription: given.subscription,
  };
}

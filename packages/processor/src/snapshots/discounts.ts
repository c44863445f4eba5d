import { COUPON_DURATIONS, type CouponDuration } from '@billing/contracts/resources/discount';
import {
  flag,
  number,
  parseObject,
  reference,
  text,
  unixTime,
  wholeNumber,
  knownWordOf,
  type Fields,
} from './fields.ts';

/** A coupon of the processor. */
export interface CouponSnapshot {
  readonly id: string;
  readonly name: string | null;
  /** Either this or an amount. */
  readonly percentOff: number | null;
  /** In the smallest unit of `currency`. */
  readonly amountOff: number | null;
  readonly currency: string | null;
  /** One that we do not know counts as the shortest. */
  readonly duration: CouponDuration;
  readonly durationInMonths: number | null;
  readonly maxRedemptions: number | null;
  readonly timesRedeemed: number;
  readonly redeemBy: Date | null;
  /** Whether it can still be redeemed. */
  readonly isValid: boolean;
  /** What it is limited to; null for all products, and when the object does not say it. */
  readonly productIds: readonly string[] | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

/** Parses a coupon of any API version. */
export const readCoupon = (raw: unknown): CouponSnapshot => parseObject(raw, parseCoupon);

const parseCoupon = (coupon: Fields): CouponSnapshot => ({
  id: coupon.required('id', text),
  name: coupon.optional('name', text),
  percentOff: coupon.optional('percent_off', number),
  amountOff: coupon.optional('amount_off', wholeNumber),
  currency: coupon.optional('currency', text),
  duration: coupon.required('duration', knownWordOf(COUPON_DURATIONS)) ?? 'once',
  durationInMonths: coupon.optional('duration_in_months', wholeNumber),
  maxRedemptions: coupon.optional('max_redemptions', wholeNumber),
  timesRedeemed: coupon.optional('times_redeemed', wholeNumber) ?? 0,
  redeemBy: coupon.optional('redeem_by', unixTime),
  isValid: coupon.optional('valid', flag) ?? true,
  productIds: coupon.optionalObject('applies_to', it => it.optional('products', texts)),
  metadata: coupon.metadata(),
  createdAt: coupon.required('created', unixTime),
});

/** A code with which customers redeem a coupon. */
export interface PromotionCodeSnapshot {
  readonly id: string;
  readonly code: string;
  readonly couponId: string | null;
  /** The only customer who can redeem it; null for all. */
  readonly customerId: string | null;
  readonly isActive: boolean;
  readonly maxRedemptions: number | null;
  readonly timesRedeemed: number;
  readonly expiresAt: Date | null;
  readonly firstTimeOnly: boolean;
  /** In the smallest unit of `minimumAmountCurrency`. */
  readonly minimumAmount: number | null;
  readonly minimumAmountCurrency: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

/** Parses a promotion code of any API version: its coupon is in `coupon` before 2025-09-30, and in `promotion` since. */
export const readPromotionCode = (raw: unknown): PromotionCodeSnapshot =>
  parseObject(raw, code => {
    const limits = code.optionalObject('restrictions', it => ({
      firstTimeOnly: it.optional('first_time_transaction', flag) ?? false,
      minimumAmount: it.optional('minimum_amount', wholeNumber),
      minimumAmountCurrency: it.optional('minimum_amount_currency', text),
    }));
    const promotion = code.optionalObject('promotion', it => it.optional('coupon', reference));
    return {
      id: code.required('id', text),
      code: code.required('code', text),
      couponId: promotion ?? code.optional('coupon', reference),
      customerId: code.optional('customer', reference),
      isActive: code.required('active', flag),
      maxRedemptions: code.optional('max_redemptions', wholeNumber),
      timesRedeemed: code.optional('times_redeemed', wholeNumber) ?? 0,
      expiresAt: code.optional('expires_at', unixTime),
      firstTimeOnly: limits?.firstTimeOnly ?? false,
      minimumAmount: limits?.minimumAmount ?? null,
      minimumAmountCurrency: limits?.minimumAmountCurrency ?? null,
      metadata: code.metadata(),
      createdAt: code.required('created', unixTime),
    };
  });

/** A discount of a subscription. An object that does not contain it has only its id. */
export interface DiscountSnapshot {
  readonly id: string;
  /** Null when only the id is known: events contain no more (`withDiscounts`). */
  readonly detail: DiscountDetail | null;
}

/** What a discount is; it never changes. */
export interface DiscountDetail {
  readonly couponId: string | null;
  readonly promotionCodeId: string | null;
  /** What it takes off; null when the object names the coupon only. */
  readonly coupon: Pick<CouponSnapshot, 'amountOff' | 'currency' | 'duration' | 'percentOff' | 'productIds'> | null;
  readonly endsAt: Date | null;
}

/** The discounts in a field: ids, or expanded objects. */
export const discountList = {
  expected: 'a list of discounts',
  parse: (value: unknown): readonly DiscountSnapshot[] | undefined =>
    Array.isArray(value) ? value.map(readDiscount) : undefined,
};

/** Parses a discount of any API version: its coupon is in `coupon` before 2025-09-30, and in `source` since. */
export function readDiscount(raw: unknown): DiscountSnapshot {
  if (typeof raw === 'string') return { id: raw, detail: null };
  return parseObject(raw, discount => {
    const couponId = (fields: Fields) => fields.optional('coupon', reference);
    const ofSource = discount.optionalObject('source', it => ({ id: couponId(it), coupon: expandedCoupon(it) }));
    return {
      // Discounts of subscriptions have ids since 2020-08-27.
      id: discount.optional('id', text) ?? '',
      detail: {
        couponId: ofSource?.id ?? couponId(discount),
        promotionCodeId: discount.optional('promotion_code', reference),
        coupon: ofSource?.coupon ?? expandedCoupon(discount),
        endsAt: discount.optional('end', unixTime),
      },
    };
  });
}

/** A coupon in a field that has its id or the expanded object; null for an id, and for what is left of a deleted one. */
const expandedCoupon = (fields: Fields): CouponSnapshot | null =>
  fields.expanded('coupon', it => (it.optional('deleted', flag) ? null : parseCoupon(it))) ?? null;

const texts = {
  expected: 'a list of texts',
  parse: (value: unknown): readonly string[] | undefined =>
    Array.isArray(value) && value.every(it => typeof it === 'string') ? value : undefined,
};

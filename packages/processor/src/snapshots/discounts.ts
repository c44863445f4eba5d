import { COUPON_DURATIONS } from '@billing/contracts/resources/discount';
import { parseObject, type Fields } from './fields.ts';
import {
  flag,
  knownWordOf,
  listOf,
  number,
  reference,
  shortText,
  unixTime,
  wholeNumber,
  type ValueType,
} from './values.ts';

/** Parses a coupon of any API version. */
export const readCoupon = (raw: unknown) => parseObject(raw, parseCoupon);

const parseCoupon = (coupon: Fields) => ({
  id: coupon.required('id', shortText),
  name: coupon.optional('name', shortText),
  /** Either this or an amount. */
  percentOff: coupon.optional('percent_off', number),
  /** In the smallest unit of `currency`. */
  amountOff: coupon.optional('amount_off', wholeNumber),
  currency: coupon.optional('currency', shortText),
  /** What it takes off by currency, also its own; null for a percentage, and when the object does not contain it. */
  currencyOptions: coupon.optionalMap('currency_options', it => it.required('amount_off', wholeNumber)),
  /** One that we do not know counts as the shortest. */
  duration: coupon.required('duration', knownWordOf(COUPON_DURATIONS)) ?? 'once',
  durationInMonths: coupon.optional('duration_in_months', wholeNumber),
  maxRedemptions: coupon.optional('max_redemptions', wholeNumber),
  timesRedeemed: coupon.optional('times_redeemed', wholeNumber) ?? 0,
  redeemBy: coupon.optional('redeem_by', unixTime),
  /** Whether it can still be redeemed. */
  isValid: coupon.optional('valid', flag) ?? true,
  /** What it is limited to; null for all products, and when the object does not say it. */
  productIds: coupon.optionalObject('applies_to', it => it.optional('products', listOf(shortText))),
  metadata: coupon.metadata(),
  createdAt: coupon.required('created', unixTime),
});

/** A coupon of the processor. */
export type CouponSnapshot = Readonly<ReturnType<typeof parseCoupon>>;

/**
 * Returns the amount that a coupon takes off in a currency; its own amount where it has none in that one, and null for a
 * percentage.
 */
export function amountOffIn(
  wanted: string | null,
  { amountOff, currency, currencyOptions }: Pick<CouponSnapshot, 'amountOff' | 'currency' | 'currencyOptions'>,
): Pick<CouponSnapshot, 'amountOff' | 'currency'> {
  const amount = wanted === null ? undefined : currencyOptions?.get(wanted);
  return amount === undefined ? { amountOff, currency } : { amountOff: amount, currency: wanted };
}

/** Parses a promotion code of any API version: its coupon is in `coupon` before 2025-09-30, and in `promotion` since. */
export const readPromotionCode = (raw: unknown) =>
  parseObject(raw, code => {
    const limits = code.optionalObject('restrictions', it => ({
      firstTimeOnly: it.optional('first_time_transaction', flag) ?? false,
      minimumAmount: it.optional('minimum_amount', wholeNumber),
      minimumAmountCurrency: it.optional('minimum_amount_currency', shortText),
      currencyOptions: it.optionalMap('currency_options', one => one.required('minimum_amount', wholeNumber)),
    }));
    const promotion = code.optionalObject('promotion', it => it.optional('coupon', reference));
    return {
      id: code.required('id', shortText),
      code: code.required('code', shortText),
      couponId: promotion ?? code.optional('coupon', reference),
      /** The only customer who can redeem it; null for all. */
      customerId: code.optional('customer', reference),
      isActive: code.required('active', flag),
      maxRedemptions: code.optional('max_redemptions', wholeNumber),
      timesRedeemed: code.optional('times_redeemed', wholeNumber) ?? 0,
      expiresAt: code.optional('expires_at', unixTime),
      firstTimeOnly: limits?.firstTimeOnly ?? false,
      /** In the smallest unit of `minimumAmountCurrency`. */
      minimumAmount: limits?.minimumAmount ?? null,
      minimumAmountCurrency: limits?.minimumAmountCurrency ?? null,
      /** The minimum amounts by currency, also its own; null without one, and when the object does not contain them. */
      currencyOptions: limits?.currencyOptions ?? null,
      metadata: code.metadata(),
      createdAt: code.required('created', unixTime),
    };
  });

/** A code with which customers redeem a coupon. */
export type PromotionCodeSnapshot = Readonly<ReturnType<typeof readPromotionCode>>;

/** A discount of a subscription, of one of its items, or of its customer. An object that does not contain it has only its id. */
export interface DiscountSnapshot {
  readonly id: string;
  /** Null when only the id is known: events contain no more (`withDiscounts`). */
  readonly detail: DiscountDetail | null;
}

/** What a discount is; it never changes. */
export interface DiscountDetail {
  readonly couponId: string | null;
  readonly promotionCodeId: string | null;
  /** What it takes off, in the subscription's currency where the coupon has an amount in that; null when its coupon is gone. */
  readonly coupon: Pick<CouponSnapshot, 'amountOff' | 'currency' | 'duration' | 'percentOff' | 'productIds'> | null;
  readonly endsAt: Date | null;
}

/** A discount in a field of what is billed in `currency`: its id, or the expanded object. */
export const discountIn = (currency: string | null): ValueType<DiscountSnapshot> => ({
  expected: 'a discount',
  parse: raw => readDiscount(raw, currency),
});

/**
 * Parses a discount of any API version, of what is billed in `currency`: its coupon is in `coupon` before 2025-09-30, and in
 * `source` since.
 */
export function readDiscount(raw: unknown, currency: string | null): DiscountSnapshot {
  const id = shortText.parse(raw);
  if (id !== undefined) return { id, detail: null };
  return parseObject(raw, discount => {
    const couponId = (fields: Fields) => fields.optional('coupon', reference);
    const couponOf = (fields: Fields) => {
      const coupon = expandedCoupon(fields);
      return coupon && { ...coupon, ...amountOffIn(currency, coupon) };
    };
    const ofSource = discount.optionalObject('source', it => ({ id: couponId(it), coupon: couponOf(it) }));
    return {
      // Discounts of subscriptions have ids since 2020-08-27.
      id: discount.optional('id', shortText) ?? '',
      detail: {
        couponId: ofSource?.id ?? couponId(discount),
        promotionCodeId: discount.optional('promotion_code', reference),
        coupon: ofSource?.coupon ?? couponOf(discount),
        endsAt: discount.optional('end', unixTime),
      },
    };
  });
}

/** Parses where a discount is. One that names nothing else is of its customer as such. */
export const readPlace = (raw: unknown) =>
  parseObject(raw, discount => {
    const of = (name: string) => discount.optional(name, reference);
    return {
      discountId: discount.optional('id', shortText),
      customerId: of('customer'),
      subscriptionId: of('subscription'),
      itemId: of('subscription_item'),
      isOfOnePurchase: [of('invoice'), of('invoice_item'), of('checkout_session')].some(Boolean),
    };
  });

/** Parses the discount of an expanded customer; null without one. What it takes off, the customer does not contain. */
export function customerDiscount(customer: Fields, currency: string | null): DiscountSnapshot | null {
  const found = customer.optional('discount', discountIn(currency));
  return found && (found.detail?.coupon ? found : { id: found.id, detail: null });
}

/** A coupon in a field that has its id or the expanded object; null for an id, and for what is left of a deleted one. */
const expandedCoupon = (fields: Fields): CouponSnapshot | null =>
  fields.expanded('coupon', it => (it.optional('deleted', flag) ? null : parseCoupon(it))) ?? null;

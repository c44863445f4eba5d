import { z } from 'zod';
import { CouponId, ProductId, PromotionCodeId } from '../ids.ts';
import { AMOUNT, currency, inCurrencies, MAX_AMOUNT, storedCurrency } from '../money.ts';
import { optional } from '../optional.ts';
import { text } from '../text.ts';
import { createdAt, givenTime, timestamp } from '../timestamp.ts';
import { catalogKey, catalogKeyOnce } from './catalog-key.ts';

export const COUPON_DURATIONS = ['once', 'repeating', 'forever'] as const;
export type CouponDuration = (typeof COUPON_DURATIONS)[number];

/** Where a discount is: of one item of a subscription, of the subscription, or of its customer. */
export const DISCOUNT_LEVELS = ['item', 'subscription', 'customer'] as const;

const MAX_REDEMPTIONS = 999_999_999;
const MAX_PRODUCTS = 100;

const percentOff = z
  .number()
  .gt(0)
  .max(100)
  .multipleOf(0.01)
  .meta({ description: 'Percent that it takes off, up to two decimals.', example: 20 });
const amountOff = z
  .int()
  .min(1)
  .max(MAX_AMOUNT)
  .meta({ description: `What it takes off. ${AMOUNT}`, example: 500 });
const duration = z
  .enum(COUPON_DURATIONS)
  .describe('For how long it counts: for one invoice, for `durationInMonths`, or for ever.');
const durationInMonths = z.int().min(1).max(120).meta({ description: 'Only for `repeating`.', example: 3 });
/** The limit of a coupon or a promotion code. */
export const maxRedemptions = z
  .int()
  .min(1)
  .max(MAX_REDEMPTIONS)
  .meta({ description: 'How often it can be redeemed in all.', example: 100 });

/** Amounts in other currencies than that of the amount beside them, of a resource. */
export const storedInCurrencies = z.record(z.string(), z.int());

/** Amounts in other currencies need one in a currency of its own. */
export const haveOwn = (it: {
  readonly currency?: string | undefined;
  readonly currencyOptions?: object | undefined;
}): boolean =>
  it.currencyOptions === undefined || (it.currency !== undefined && !Object.hasOwn(it.currencyOptions, it.currency));
/** What is wrong without that. */
export const OTHER_CURRENCIES = 'Expected with an amount in `currency`, and for other currencies only.';

/** What takes something off, as coupons and discounts show it. */
const off = {
  percentOff: z
    .number()
    .nullable()
    .meta({ description: 'Percent that it takes off; null when it takes off an amount.', example: 20 }),
  amountOff: z
    .int()
    .nullable()
    .meta({ description: `Null when it takes off a percentage. ${AMOUNT}`, example: null }),
  currency: storedCurrency.nullable().meta({ description: 'Of `amountOff`; else null.', example: null }),
};

export const coupon = z
  .object({
    id: CouponId.schema,
    processorCouponId: z
      .string()
      .meta({ description: 'The id of the coupon at the payment processor.', example: 'Z4OV52SU' }),
    key: catalogKey
      .nullable()
      .meta({ description: 'What your code calls it; null when it has none.', example: 'spring' }),
    name: z.string().nullable().meta({ description: 'Shown to customers, on invoices too.', example: 'Spring sale' }),
    ...off,
    currencyOptions: storedInCurrencies.meta({
      description: `What it takes off in other currencies, by currency; empty without any. ${AMOUNT}`,
      example: {},
    }),
    duration,
    durationInMonths: z.int().nullable().meta({ description: 'Null unless `duration` is `repeating`.', example: 3 }),
    productIds: z
      .array(ProductId.schema)
      .readonly()
      .nullable()
      .describe('The only products that it takes something off; null for all.'),
    maxRedemptions: z
      .int()
      .nullable()
      .meta({ description: 'How often it can be redeemed in all; null without a limit.', example: 100 }),
    timesRedeemed: z.int().meta({ description: 'How often it was redeemed.', example: 12 }),
    redeemBy: timestamp.nullable().describe('Until when it can be redeemed; null without an end.'),
    isValid: z.boolean().describe('Whether it can still be redeemed.'),
    createdAt,
  })
  .meta({
    id: 'Coupon',
    description: 'A price reduction that subscriptions and checkouts can get.',
    example: { duration: 'repeating', durationInMonths: 3, productIds: null, redeemBy: null, isValid: true },
  });
export type Coupon = z.output<typeof coupon>;

export const couponCreate = z
  .strictObject({
    key: optional(catalogKey),
    name: text(40).meta({ description: 'Shown to customers, on invoices too.', example: 'Spring sale' }),
    percentOff: optional(percentOff),
    amountOff: optional(amountOff),
    currency: optional(currency),
    currencyOptions: optional(inCurrencies(amountOff)).describe(
      `What it takes off in other currencies than \`currency\`, by currency. ${AMOUNT}`,
    ),
    duration,
    durationInMonths: optional(durationInMonths),
    productIds: optional(z.array(ProductId.schema).min(1).max(MAX_PRODUCTS)).describe(
      'The only products that it takes something off; all when it is left out.',
    ),
    maxRedemptions: optional(maxRedemptions),
    redeemBy: optional(givenTime).describe('Until when it can be redeemed, at most five years from now.'),
  })
  .refine(it => (it.percentOff === undefined) !== (it.amountOff === undefined), {
    path: ['percentOff'],
    message: 'Expected either `percentOff` or `amountOff`.',
  })
  .refine(it => (it.amountOff === undefined) === (it.currency === undefined), {
    path: ['currency'],
    message: 'Expected with `amountOff`, and only then.',
  })
  .refine(haveOwn, { path: ['currencyOptions'], message: OTHER_CURRENCIES })
  .refine(it => (it.duration === 'repeating') === (it.durationInMonths !== undefined), {
    path: ['durationInMonths'],
    message: 'Expected for the duration `repeating`, and for no other.',
  })
  .meta({
    id: 'CouponCreate',
    description:
      'A coupon to create: with either `percentOff`, or `amountOff` and its `currency`. Its terms cannot be changed later.',
    example: { percentOff: 20, duration: 'repeating', durationInMonths: 3 },
  });
export type CouponCreate = z.output<typeof couponCreate>;

export const couponUpdate = z
  .strictObject({ key: catalogKeyOnce })
  .meta({ id: 'CouponUpdate', description: 'The key that a coupon gets.', example: { key: 'spring' } });

/** A discount that a subscription is billed with. */
export const discount = z
  .object({
    level: z
      .enum(DISCOUNT_LEVELS)
      .describe(
        'What it is a discount of: one item, which it counts for alone and first; the subscription; or its customer, where the subscription has none of its own.',
      ),
    processorPriceId: z
      .string()
      .nullable()
      .meta({ description: 'The price of the only item that it counts for; null for all items.', example: null }),
    couponId: CouponId.schema.nullable().describe('Null when the project does not have the coupon.'),
    promotionCodeId: PromotionCodeId.schema
      .nullable()
      .describe('The code that redeemed it; null without one, and when the project does not have it.'),
    ...off,
    endsAt: timestamp
      .nullable()
      .describe('When it ends by itself; null for one without an end, and for one that counts for a single invoice.'),
  })
  .meta({
    id: 'Discount',
    description: 'What is taken off the invoices of a subscription.',
    example: { level: 'subscription', endsAt: '2026-06-02T09:30:00.000Z' },
  });
export type Discount = z.output<typeof discount>;

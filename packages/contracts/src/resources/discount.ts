import { z } from 'zod';
import { CouponId, CustomerId, ProductId, PromotionCodeId } from '../ids.ts';
import { AMOUNT, currency, MAX_AMOUNT, storedCurrency } from '../money.ts';
import { optional, withDefault } from '../optional.ts';
import { text } from '../text.ts';
import { createdAt, givenTime, timestamp } from '../timestamp.ts';

export const COUPON_DURATIONS = ['once', 'repeating', 'forever'] as const;
export type CouponDuration = (typeof COUPON_DURATIONS)[number];

/** Why a promotion code cannot be redeemed; the problem that callers get. */
export const REDEMPTION_REFUSALS = [
  'promotion_code_inactive',
  'promotion_code_expired',
  'promotion_code_exhausted',
  'promotion_code_not_applicable',
] as const;
export type RedemptionRefusal = (typeof REDEMPTION_REFUSALS)[number];

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
const maxRedemptions = z
  .int()
  .min(1)
  .max(MAX_REDEMPTIONS)
  .meta({ description: 'How often it can be redeemed in all.', example: 100 });

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
    name: z.string().nullable().meta({ description: 'Shown to customers, on invoices too.', example: 'Spring sale' }),
    ...off,
    duration,
    durationInMonths: durationInMonths.nullable().describe('Null unless `duration` is `repeating`.'),
    productIds: z
      .array(ProductId.schema)
      .readonly()
      .nullable()
      .describe('The only products that it takes something off; null for all.'),
    maxRedemptions: maxRedemptions.nullable().describe('How often it can be redeemed in all; null without a limit.'),
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
    name: text(40).meta({ description: 'Shown to customers, on invoices too.', example: 'Spring sale' }),
    percentOff: optional(percentOff),
    amountOff: optional(amountOff),
    currency: optional(currency),
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

/** The text of a promotion code: as the processor takes it. https://docs.stripe.com/api/promotion_codes/create */
const codeText = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9-]{1,500}$/, 'Expected 1 to 500 letters of a-z, digits and hyphens.')
  .meta({ description: 'What customers enter, in any case.', example: 'SPRING20' });

export const promotionCode = z
  .object({
    id: PromotionCodeId.schema,
    processorPromotionCodeId: z
      .string()
      .meta({ description: 'The id of the code at the payment processor.', example: 'promo_1RqZ9c2eZvKYlo2CrX0hJ6kL' }),
    couponId: CouponId.schema.describe('What it redeems.'),
    code: z.string().meta({ description: 'What customers enter, in any case.', example: 'SPRING20' }),
    customerId: CustomerId.schema
      .nullable()
      .meta({ description: 'The only customer who can redeem it; null for all.', example: null }),
    isActive: z.boolean().describe('Whether it can be redeemed.'),
    maxRedemptions: maxRedemptions.nullable().describe('How often it can be redeemed in all; null without a limit.'),
    timesRedeemed: z.int().meta({ description: 'How often it was redeemed.', example: 12 }),
    expiresAt: timestamp.nullable().describe('Until when it can be redeemed; null without an end.'),
    firstTimeOnly: z.boolean().describe('Whether only customers without an earlier payment can redeem it.'),
    minimumAmount: z
      .int()
      .nullable()
      .meta({ description: `The least amount that it can be redeemed for. ${AMOUNT}`, example: null }),
    currency: storedCurrency.nullable().meta({ description: 'Of `minimumAmount`; else null.', example: null }),
    createdAt,
  })
  .meta({
    id: 'PromotionCode',
    description: 'A code with which customers redeem a coupon.',
    example: { isActive: true, expiresAt: null, firstTimeOnly: false },
  });
export type PromotionCode = z.output<typeof promotionCode>;

export const promotionCodeCreate = z
  .strictObject({
    couponId: CouponId.schema,
    code: optional(codeText).describe(
      'What customers enter, in any case; the payment processor chooses one if absent.',
    ),
    customerId: optional(CustomerId.schema).describe('The only customer who can redeem it.'),
    maxRedemptions: optional(maxRedemptions),
    expiresAt: optional(givenTime).describe('Until when it can be redeemed.'),
    firstTimeOnly: withDefault(z.boolean(), false).describe(
      'Whether only customers without an earlier payment can redeem it.',
    ),
    minimumAmount: optional(z.int().min(1).max(MAX_AMOUNT)).describe(
      `The least amount that it can be redeemed for. ${AMOUNT}`,
    ),
    currency: optional(currency),
  })
  .refine(it => (it.minimumAmount === undefined) === (it.currency === undefined), {
    path: ['currency'],
    message: 'Expected with `minimumAmount`, and only then.',
  })
  .meta({
    id: 'PromotionCodeCreate',
    description: 'A promotion code to create.',
    example: { code: 'SPRING20', maxRedemptions: 100 },
  });
export type PromotionCodeCreate = z.output<typeof promotionCodeCreate>;

export const promotionCodeUpdate = z
  .strictObject({ isActive: z.boolean().describe('Whether it can be redeemed.') })
  .meta({ id: 'PromotionCodeUpdate', description: 'Whether a code is active.', example: { isActive: false } });

/** How callers name a promotion code: its text in any case, or our id. */
export const wantedPromotionCode = text(500).meta({
  description: 'The text of a promotion code in any case, or its id.',
  example: 'SPRING20',
});

/** A discount of a subscription. */
export const discount = z
  .object({
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
    example: { endsAt: '2026-06-02T09:30:00.000Z' },
  });
export type Discount = z.output<typeof discount>;

export const discountSet = z
  .strictObject({ promotionCode: wantedPromotionCode.nullable().describe('Null removes all discounts.') })
  .meta({
    id: 'DiscountSet',
    description: 'The promotion code that a subscription is to have.',
    example: { promotionCode: 'SPRING20' },
  });

import { z } from 'zod';
import { CouponId, CustomerId, PromotionCodeId } from '../ids.ts';
import { AMOUNT, currency, inCurrencies, MAX_AMOUNT, storedCurrency } from '../money.ts';
import { optional, withDefault } from '../optional.ts';
import { text } from '../text.ts';
import { createdAt, givenTime, timestamp } from '../timestamp.ts';
import { haveOwn, maxRedemptions, OTHER_CURRENCIES, storedInCurrencies } from './discount.ts';

/** Why a promotion code cannot be redeemed; the problem that callers get. */
export const REDEMPTION_REFUSALS = [
  'promotion_code_inactive',
  'promotion_code_expired',
  'promotion_code_exhausted',
  'promotion_code_not_applicable',
] as const;
export type RedemptionRefusal = (typeof REDEMPTION_REFUSALS)[number];

const minimumAmount = z.int().min(1).max(MAX_AMOUNT);

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
    maxRedemptions: z
      .int()
      .nullable()
      .meta({ description: 'How often it can be redeemed in all; null without a limit.', example: 100 }),
    timesRedeemed: z.int().meta({ description: 'How often it was redeemed.', example: 12 }),
    expiresAt: timestamp.nullable().describe('Until when it can be redeemed; null without an end.'),
    firstTimeOnly: z.boolean().describe('Whether only customers without an earlier payment can redeem it.'),
    minimumAmount: z
      .int()
      .nullable()
      .meta({ description: `The least amount that it can be redeemed for. ${AMOUNT}`, example: null }),
    currency: storedCurrency.nullable().meta({ description: 'Of `minimumAmount`; else null.', example: null }),
    currencyOptions: storedInCurrencies.meta({
      description: `The least amounts in other currencies, by currency; empty without any. ${AMOUNT}`,
      example: {},
    }),
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
    minimumAmount: optional(minimumAmount).describe(`The least amount that it can be redeemed for. ${AMOUNT}`),
    currency: optional(currency),
    currencyOptions: optional(inCurrencies(minimumAmount)).describe(
      `The least amounts in other currencies than \`currency\`, by currency. ${AMOUNT}`,
    ),
  })
  .refine(it => (it.minimumAmount === undefined) === (it.currency === undefined), {
    path: ['currency'],
    message: 'Expected with `minimumAmount`, and only then.',
  })
  .refine(haveOwn, { path: ['currencyOptions'], message: OTHER_CURRENCIES })
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

export const discountSet = z
  .strictObject({ promotionCode: wantedPromotionCode.nullable().describe('Null removes all discounts.') })
  .meta({
    id: 'DiscountSet',
    description: 'The promotion code that a subscription is to have.',
    example: { promotionCode: 'SPRING20' },
  });

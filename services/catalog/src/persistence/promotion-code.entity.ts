import { defineEntity, p } from '@mikro-orm/core';
import { fieldsOf } from '@billing/contracts/fields-of';
import type { CouponId, CustomerId, PromotionCodeId } from '@billing/contracts/ids';
import {
  promotionCode,
  type PromotionCode as PromotionCodeResource,
} from '@billing/contracts/resources/promotion-code';
import { mirroredProperties, processorIdIndex, uniqueProcessorId, type Mirrored } from '@billing/service/mirrored-rows';
import { refusalOfCode, refusalOfCoupon } from '#domain/discount.ts';
import type { Coupon } from './coupon.entity.ts';

const PromotionCodeSchema = defineEntity({
  name: 'PromotionCode',
  tableName: 'promotion_codes',
  uniques: [uniqueProcessorId('promotion_codes')],
  indexes: [
    processorIdIndex('promotion_codes'),
    { name: 'promotion_codes_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'promotion_codes_by_code', properties: ['teamId', 'projectId', 'codeKey'] },
    { name: 'promotion_codes_by_coupon', properties: ['couponId'] },
  ],
  properties: {
    id: p.text().primary().$type<PromotionCodeId>(),
    ...mirroredProperties(),
    couponId: p.text().$type<CouponId>(),
    code: p.text(),
    /** The code in lower case. */
    codeKey: p.text(),
    customerId: p.text().strictNullable().$type<CustomerId | null>(),
    /** As the processor said; time and its coupon may have ended it since. */
    isActive: p.boolean(),
    maxRedemptions: p.bigint('number').strictNullable(),
    timesRedeemed: p.bigint('number'),
    expiresAt: p.datetime().strictNullable(),
    firstTimeOnly: p.boolean(),
    /** In the smallest unit of `currency`. */
    minimumAmount: p.bigint('number').strictNullable(),
    currency: p.text().strictNullable(),
    /** The minimum amounts in other currencies, by currency. */
    currencyOptions: p.json<Record<string, number>>(),
  },
});

export class PromotionCode extends PromotionCodeSchema.class {}
PromotionCodeSchema.setClass(PromotionCode);

/** Returns whether somebody can redeem a code of a coupon at a time, as far as we know. */
export const isRedeemable = (row: PromotionCode, coupon: Coupon | undefined, now: Date): boolean =>
  (refusalOfCode(row, now) ?? refusalOfCoupon(coupon, now)) === null;

/** Returns a promotion code of a coupon as callers see it at a time. */
export const toPromotionCode = (
  row: Mirrored<PromotionCode>,
  coupon: Coupon | undefined,
  now: Date,
): PromotionCodeResource =>
  fieldsOf(promotionCode, row, {
    processorPromotionCodeId: row.processorId,
    isActive: isRedeemable(row, coupon, now),
  });

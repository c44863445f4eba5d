import { defineEntity, p } from '@mikro-orm/core';
import type { CouponId, CustomerId, PromotionCodeId } from '@billing/contracts/ids';
import type { PromotionCode as PromotionCodeResource } from '@billing/contracts/resources/discount';
import { mirroredProperties, type Mirrored } from '@billing/service/mirrored-rows';
import { refusalOfCode, refusalOfCoupon } from '#domain/discount.ts';
import type { Coupon } from './coupon.entity.ts';

const PromotionCodeSchema = defineEntity({
  name: 'PromotionCode',
  tableName: 'promotion_codes',
  uniques: [{ name: 'promotion_codes_processor_id_unique', properties: ['teamId', 'projectId', 'processorId'] }],
  indexes: [
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
    maxRedemptions: p.integer().strictNullable(),
    timesRedeemed: p.integer(),
    expiresAt: p.datetime().strictNullable(),
    firstTimeOnly: p.boolean(),
    /** In the smallest unit of `currency`. */
    minimumAmount: p.bigint('number').strictNullable(),
    currency: p.text().strictNullable(),
  },
});

export class PromotionCode extends PromotionCodeSchema.class {}
PromotionCodeSchema.setClass(PromotionCode);

/** Returns whether somebody can redeem a code of a coupon at a time, as far as we know. */
export const isRedeemable = (row: PromotionCode, coupon: Coupon | undefined, now: Date): boolean =>
  (refusalOfCode(row, now) ?? refusalOfCoupon(coupon, now)) === null;

/** Returns a promotion code of a coupon as callers see it at a time. */
export function toPromotionCode(
  row: Mirrored<PromotionCode>,
  coupon: Coupon | undefined,
  now: Date,
): PromotionCodeResource {
  const { id, processorId: processorPromotionCodeId, couponId, code, customerId, createdAt } = row;
  const { maxRedemptions, timesRedeemed, expiresAt, firstTimeOnly, minimumAmount, currency } = row;
  const isActive = isRedeemable(row, coupon, now);
  const terms = { maxRedemptions, timesRedeemed, expiresAt, firstTimeOnly, minimumAmount, currency };
  return { id, processorPromotionCodeId, couponId, code, customerId, isActive, ...terms, createdAt };
}

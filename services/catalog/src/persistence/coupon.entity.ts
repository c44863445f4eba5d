import { defineEntity, p } from '@mikro-orm/core';
import type { CouponId, ProductId } from '@billing/contracts/ids';
import { COUPON_DURATIONS, type Coupon as CouponResource } from '@billing/contracts/resources/discount';
import { mirroredProperties, type Mirrored } from '@billing/service/mirrored-rows';
import { refusalOfCoupon, toCouponTerms } from '#domain/discount.ts';

const CouponSchema = defineEntity({
  name: 'Coupon',
  tableName: 'coupons',
  uniques: [{ name: 'coupons_processor_id_unique', properties: ['teamId', 'projectId', 'processorId'] }],
  indexes: [{ name: 'coupons_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] }],
  properties: {
    id: p.text().primary().$type<CouponId>(),
    ...mirroredProperties(),
    name: p.text().strictNullable(),
    percentOff: p.double().strictNullable().$type<number | null>(),
    /** In the smallest unit of `currency`. */
    amountOff: p.bigint('number').strictNullable(),
    currency: p.text().strictNullable(),
    duration: p.enum(COUPON_DURATIONS),
    durationInMonths: p.integer().strictNullable(),
    /** The project's products that it is limited to; null for all. */
    productIds: p.json().strictNullable().$type<readonly ProductId[] | null>(),
    maxRedemptions: p.integer().strictNullable(),
    timesRedeemed: p.integer(),
    redeemBy: p.datetime().strictNullable(),
  },
});

export class Coupon extends CouponSchema.class {}
CouponSchema.setClass(Coupon);

/** Returns a coupon as callers see it at a time. */
export function toCoupon(coupon: Mirrored<Coupon>, now: Date): CouponResource {
  const { id, processorId: processorCouponId, name, productIds, timesRedeemed, createdAt } = coupon;
  const isValid = refusalOfCoupon(coupon, now) === null;
  return { id, processorCouponId, name, ...toCouponTerms(coupon), productIds, timesRedeemed, isValid, createdAt };
}

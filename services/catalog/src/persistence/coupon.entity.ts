import { defineEntity, p } from '@mikro-orm/core';
import { fieldsOf } from '@billing/contracts/fields-of';
import type { CouponId, ProductId } from '@billing/contracts/ids';
import { coupon, COUPON_DURATIONS, type Coupon as CouponResource } from '@billing/contracts/resources/discount';
import { mirroredProperties, processorIdIndex, uniqueProcessorId, type Mirrored } from '@billing/service/mirrored-rows';
import { refusalOfCoupon } from '#domain/discount.ts';

const CouponSchema = defineEntity({
  name: 'Coupon',
  tableName: 'coupons',
  uniques: [uniqueProcessorId('coupons')],
  indexes: [
    processorIdIndex('coupons'),
    { name: 'coupons_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'coupons_by_key', properties: ['teamId', 'projectId', 'key'] },
  ],
  properties: {
    id: p.text().primary().$type<CouponId>(),
    ...mirroredProperties(),
    key: p.text().strictNullable(),
    name: p.text().strictNullable(),
    percentOff: p.double().strictNullable().$type<number | null>(),
    /** In the smallest unit of `currency`. */
    amountOff: p.bigint('number').strictNullable(),
    currency: p.text().strictNullable(),
    /** What it takes off in other currencies, by currency. */
    currencyOptions: p.json<Record<string, number>>(),
    duration: p.enum(COUPON_DURATIONS),
    durationInMonths: p.bigint('number').strictNullable(),
    /** The project's products that it is limited to; null for all. */
    productIds: p.json().strictNullable().$type<readonly ProductId[] | null>(),
    maxRedemptions: p.bigint('number').strictNullable(),
    timesRedeemed: p.bigint('number'),
    redeemBy: p.datetime().strictNullable(),
  },
});

export class Coupon extends CouponSchema.class {}
CouponSchema.setClass(Coupon);

/** Returns a coupon as callers see it at a time. */
export const toCoupon = (row: Mirrored<Coupon>, now: Date): CouponResource =>
  fieldsOf(coupon, row, { processorCouponId: row.processorId, isValid: refusalOfCoupon(row, now) === null });

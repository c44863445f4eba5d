import { z } from 'zod';
import { defineEvent } from '../event.ts';
import { CouponId, ProductId, ProjectId, PromotionCodeId } from '../ids.ts';
import { COUPON_DURATIONS } from '../resources/discount.ts';
import { timestamp } from '../timestamp.ts';
import { version } from '../version.ts';

/** A coupon's whole state. A consumer ignores it unless `version` is higher than the one it has. */
export const couponState = z.object({
  id: CouponId.schema,
  projectId: ProjectId.schema,
  processorCouponId: z.string(),
  /** Events of earlier versions have none. */
  key: z.string().nullable().default(null),
  /** Either this or an amount in the smallest unit of `currency`. */
  percentOff: z.number().nullable(),
  amountOff: z.int().nullable(),
  currency: z.string().nullable(),
  duration: z.enum(COUPON_DURATIONS),
  durationInMonths: z.int().nullable(),
  /** The only products that it takes something off; null for all. */
  productIds: z.array(ProductId.schema).readonly().nullable(),
  version,
  createdAt: timestamp,
  deletedAt: timestamp.nullable(),
});
export type CouponState = z.output<typeof couponState>;

/** A promotion code's whole state, versioned like a coupon's. */
export const promotionCodeState = z.object({
  id: PromotionCodeId.schema,
  projectId: ProjectId.schema,
  couponId: CouponId.schema,
  processorPromotionCodeId: z.string(),
  code: z.string(),
  isActive: z.boolean(),
  version,
  createdAt: timestamp,
  deletedAt: timestamp.nullable(),
});
export type PromotionCodeState = z.output<typeof promotionCodeState>;

export const CouponSaved = defineEvent('coupon.saved.v1', couponState);
export const PromotionCodeSaved = defineEvent('promotion-code.saved.v1', promotionCodeState);

import type { EntityManager } from '@mikro-orm/postgresql';
import type { CouponId, ProjectScope } from '@billing/contracts/ids';
import { Coupon } from './coupon.entity.ts';
import type { PromotionCode } from './promotion-code.entity.ts';

/** Finds the coupons of a project's promotion codes, deleted ones too, by their ids. */
export async function findCoupons(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  codes: Iterable<PromotionCode>,
): Promise<ReadonlyMap<CouponId, Coupon>> {
  const ids = [...new Set(Array.from(codes, ({ couponId }) => couponId))];
  const coupons = await em.find(Coupon, { teamId, projectId, id: { $in: ids } });
  return new Map(coupons.map(coupon => [coupon.id, coupon]));
}

import type { PromotionCode } from '@billing/client';
import type { Tenant } from './tenant.ts';

/** Creates a coupon of 20 % for ever, and a code that redeems it. */
export async function newPromotionCode({ billing }: Pick<Tenant, 'billing'>): Promise<PromotionCode> {
  const { id: couponId } = await billing.coupons.create({ name: 'Spring', percentOff: 20, duration: 'forever' });
  return billing.promotionCodes.create({ couponId });
}

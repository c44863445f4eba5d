import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { CouponState, PromotionCodeState } from '@billing/contracts/events/discounts';
import { CouponId, PriceId, ProductId, PromotionCodeId } from '@billing/contracts/ids';
import type { Service } from './start-service.ts';

/** Returns an active monthly price of 29.99 usd, with its product `Pro`. */
export function aPrice(
  { scope: { projectId } }: Service,
  changes: Partial<PriceState> = {},
  name = 'Pro',
): { price: PriceState; product: ProductState } {
  const common = {
    projectId,
    key: null,
    isActive: true,
    metadata: {},
    version: 1,
    createdAt: new Date(),
    deletedAt: null,
  };
  const texts = { name, description: null, unitLabel: null, taxCode: null };
  const product = { ...common, ...texts, id: ProductId.create(), processorProductId: 'prod_1' };
  const price: PriceState = {
    ...common,
    id: PriceId.create(),
    productId: product.id,
    unitAmount: 2_999,
    unitAmountDecimal: '2999',
    billingScheme: 'per_unit',
    metered: false,
    currency: 'usd',
    currencyOptions: {},
    type: 'recurring',
    interval: 'month',
    intervalCount: 1,
    meter: null,
    taxBehavior: 'unspecified',
    processorPriceId: 'price_1',
    ...changes,
  };
  return { price, product };
}

/** Returns an active promotion code of 20 % for three months. */
export function aPromotionCode({ scope: { projectId } }: Service): {
  promotionCode: PromotionCodeState;
  coupon: CouponState;
} {
  const common = { projectId, version: 1, createdAt: new Date(), deletedAt: null };
  const coupon: CouponState = {
    ...common,
    id: CouponId.create(),
    key: null,
    processorCouponId: 'coupon_1',
    percentOff: 20,
    amountOff: null,
    currency: null,
    duration: 'repeating',
    durationInMonths: 3,
    productIds: null,
  };
  const promotionCode = {
    ...common,
    id: PromotionCodeId.create(),
    couponId: coupon.id,
    processorPromotionCodeId: 'promo_1',
    code: 'STAY20',
    isActive: true,
  };
  return { promotionCode, coupon };
}

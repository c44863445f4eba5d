import { PAGE_SIZE } from '../page-size.ts';
import type { Discounts, NewCoupon, NewPromotionCode } from '../discounts.ts';
import { readCoupon, readPromotionCode } from '../snapshots/discounts.ts';
import { given, inSeconds, listAll, write, type Calls } from './calls.ts';
import { findCreated } from './find-created.ts';

const WITH_PRODUCTS = { expand: ['applies_to'] };

/** Coupons and promotion codes. */
export function discountCalls({ stripe, call }: Calls): Discounts {
  return {
    createCoupon: (coupon, key) =>
      call(async () =>
        readCoupon(await stripe.coupons.create({ ...couponParams(coupon), ...WITH_PRODUCTS }, write(key))),
      ),
    findCoupon: id => call(async () => readCoupon(await stripe.coupons.retrieve(id, WITH_PRODUCTS))),
    findCreatedCoupon: async created => {
      const expand = ['data.applies_to'];
      const found = await findCreated(created, page => call(() => stripe.coupons.list({ ...page, expand })));
      return found && readCoupon(found);
    },
    deleteCoupon: id => call(async () => void (await stripe.coupons.del(id))),

    createPromotionCode: (code, key) =>
      call(async () => readPromotionCode(await stripe.promotionCodes.create(codeParams(code), write(key)))),
    findPromotionCode: id => call(async () => readPromotionCode(await stripe.promotionCodes.retrieve(id))),
    findCreatedPromotionCode: async (coupon, created) => {
      const found = await findCreated(created, page => call(() => stripe.promotionCodes.list({ ...page, coupon })));
      return found && readPromotionCode(found);
    },
    listPromotionCodes: code =>
      call(async () => (await listAll(stripe.promotionCodes.list({ code, limit: PAGE_SIZE }))).map(readPromotionCode)),
    updatePromotionCode: (id, { isActive, metadata }, key) =>
      call(async () => {
        const changes = given({ active: isActive, metadata: metadata && { ...metadata } });
        return readPromotionCode(await stripe.promotionCodes.update(id, changes, write(key)));
      }),
  };
}

function couponParams(coupon: NewCoupon) {
  const { name, off, duration, durationInMonths, productIds, maxRedemptions, redeemBy, metadata } = coupon;
  return {
    name,
    ...('percent' in off ? { percent_off: off.percent } : { amount_off: off.amount, currency: off.currency }),
    duration,
    ...(productIds && { applies_to: { products: [...productIds] } }),
    ...given({
      duration_in_months: durationInMonths,
      max_redemptions: maxRedemptions,
      redeem_by: redeemBy && inSeconds(redeemBy),
    }),
    metadata: { ...metadata },
  };
}

function codeParams(code: NewPromotionCode) {
  const { couponId, customerId, maxRedemptions, expiresAt, firstTimeOnly, minimum, metadata } = code;
  const restrictions = {
    ...(firstTimeOnly && { first_time_transaction: true }),
    ...(minimum && { minimum_amount: minimum.amount, minimum_amount_currency: minimum.currency }),
  };
  return {
    promotion: { type: 'coupon' as const, coupon: couponId },
    ...given({
      code: code.code,
      customer: customerId,
      max_redemptions: maxRedemptions,
      expires_at: expiresAt && inSeconds(expiresAt),
    }),
    ...(Object.keys(restrictions).length > 0 && { restrictions }),
    metadata: { ...metadata },
  };
}

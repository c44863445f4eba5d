import { PAGE_SIZE } from '../page-size.ts';
import type { Discounts, NewCoupon, NewPromotionCode } from '../discounts.ts';
import { readCoupon, readDiscount, readPromotionCode } from '../snapshots/discounts.ts';
import { given, inSeconds, listAll, write, type Calls } from './calls.ts';
import { findCreated } from './find-created.ts';
import { COUPON_PARTS, couponsOf } from './nested-lists.ts';

export const WHOLE_COUPON = { expand: [...COUPON_PARTS] };
/** A code contains its minimum amounts in other currencies only when they are expanded. */
export const WHOLE_CODE = { expand: ['restrictions.currency_options'] };
const inList = ({ expand }: { readonly expand: readonly string[] }) => ({ expand: expand.map(path => `data.${path}`) });
export const WHOLE_COUPONS = inList(WHOLE_COUPON);
export const WHOLE_CODES = inList(WHOLE_CODE);

/** Coupons, promotion codes, and the discounts that were made of them. */
export function discountCalls({ stripe, call }: Calls): Discounts {
  return {
    createCoupon: (coupon, key) =>
      call(async () =>
        readCoupon(await stripe.coupons.create({ ...couponParams(coupon), ...WHOLE_COUPON }, write(key))),
      ),
    findCoupon: id => call(async () => readCoupon(await stripe.coupons.retrieve(id, WHOLE_COUPON))),
    findCreatedCoupon: async created => {
      const found = await findCreated(created, page => call(() => stripe.coupons.list({ ...page, ...WHOLE_COUPONS })));
      return found && readCoupon(found);
    },
    updateCoupon: (id, { metadata }, key) =>
      call(async () => {
        const changes = given({ metadata: metadata && { ...metadata } });
        return readCoupon(await stripe.coupons.update(id, { ...changes, ...WHOLE_COUPON }, write(key)));
      }),
    deleteCoupon: id => call(async () => void (await stripe.coupons.del(id))),

    createPromotionCode: (code, key) =>
      call(async () =>
        readPromotionCode(await stripe.promotionCodes.create({ ...codeParams(code), ...WHOLE_CODE }, write(key))),
      ),
    findPromotionCode: id => call(async () => readPromotionCode(await stripe.promotionCodes.retrieve(id, WHOLE_CODE))),
    findCreatedPromotionCode: async (coupon, created) => {
      const found = await findCreated(created, page =>
        call(() => stripe.promotionCodes.list({ ...page, coupon, ...WHOLE_CODES })),
      );
      return found && readPromotionCode(found);
    },
    listPromotionCodes: code =>
      call(async () => {
        const listed = stripe.promotionCodes.list({ code, limit: PAGE_SIZE, ...WHOLE_CODES });
        return (await listAll(listed)).map(readPromotionCode);
      }),
    updatePromotionCode: (id, { isActive, metadata }, key) =>
      call(async () => {
        const changes = given({ active: isActive, metadata: metadata && { ...metadata } });
        return readPromotionCode(await stripe.promotionCodes.update(id, { ...changes, ...WHOLE_CODE }, write(key)));
      }),

    findItemDiscounts: (id, currency) =>
      call(async () => {
        const { discounts } = await stripe.subscriptionItems.retrieve(id, { expand: couponsOf('discounts') });
        return discounts.map(it => readDiscount(it, currency));
      }),
    findCustomerDiscount: (id, currency) =>
      call(async () => {
        const customer = await stripe.customers.retrieve(id, { expand: couponsOf('discount') });
        return customer.deleted || !customer.discount ? null : readDiscount(customer.discount, currency);
      }),
  };
}

/** Returns amounts by currency as parameters that have each in a field; none for no amounts. */
const currencyParams = <Field extends string>(
  amounts: Readonly<Record<string, number>> | undefined,
  field: Field,
): { currency_options?: Record<string, Record<Field, number>> } =>
  amounts === undefined
    ? {}
    : {
        currency_options: Object.fromEntries(
          Object.entries(amounts).map(([currency, amount]) => [currency, { [field]: amount } as Record<Field, number>]),
        ),
      };

function couponParams(coupon: NewCoupon) {
  const { name, off, duration, durationInMonths, productIds, maxRedemptions, redeemBy, metadata } = coupon;
  return {
    name,
    ...('percent' in off
      ? { percent_off: off.percent }
      : { amount_off: off.amount, currency: off.currency, ...currencyParams(off.currencyOptions, 'amount_off') }),
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
    ...(minimum && {
      minimum_amount: minimum.amount,
      minimum_amount_currency: minimum.currency,
      ...currencyParams(minimum.currencyOptions, 'minimum_amount'),
    }),
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

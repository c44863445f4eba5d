import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { createdWithin, listPage } from '../api/lists.ts';
import { mergeMetadata } from '../api/metadata.ts';
import {
  choice,
  created,
  empty,
  expand,
  integer,
  metadata,
  page,
  parameters,
  reject,
  text,
  timestamp,
  unsettableText,
} from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { periodStart } from '../domain/periods.ts';
import { newCoupon, shownCoupon } from '../objects/coupon.ts';
import type { Coupon } from '../objects/stored.ts';
import { currency } from './price-amounts.ts';
import { existingProduct } from './products.ts';

/** The discounts of a subscription or of a preview; an empty value removes all. */
export const discountsParameter = z.union([
  empty,
  z
    .array(
      z.strictObject({
        coupon: text().optional(),
        discount: text().optional(),
        promotion_code: text().optional(),
      }),
    )
    .max(20),
]);

/** A percentage above 0 and up to 100, with at most two decimals. */
const percent = z.string().transform((value, context) => {
  const number = Number(value);
  if (/^\d+(\.\d{1,2})?$/.test(value) && number > 0 && number <= 100) return number;
  return reject(context, { message: `Invalid {param}: it must be between 0 and 100, with up to two decimals.` });
});

const createParameters = parameters<Stripe.CouponCreateParams>()({
  amount_off: integer(1, 99_999_999).optional(),
  applies_to: z.strictObject({ products: z.array(text()).min(1).max(100) }).optional(),
  currency: currency.optional(),
  duration: choice('forever', 'once', 'repeating').optional(),
  duration_in_months: integer(1, 120).optional(),
  expand,
  id: text(200).optional(),
  max_redemptions: integer(1).optional(),
  metadata: metadata.optional(),
  name: text(40).optional(),
  percent_off: percent.optional(),
  redeem_by: timestamp.optional(),
});
const updateParameters = parameters<Stripe.CouponUpdateParams>()({
  expand,
  metadata: metadata.optional(),
  name: unsettableText(40).optional(),
});
const listParameters = parameters<Stripe.CouponListParams>()({ ...page, created });

/** Coupons: https://docs.stripe.com/api/coupons. */
export const couponEndpoints = [
  endpoint('POST', '/v1/coupons', createParameters, createCoupon),
  endpoint('GET', '/v1/coupons', listParameters, (unit, given, { url }) => {
    const rows = unit.tables.coupon
      .newestFirst()
      .filter(({ id }) => !unit.tables.removed_coupon.get(id))
      .filter(createdWithin(given.created))
      .map(row => shownCoupon(unit, row));
    return listPage(rows, given, url, 'coupon');
  }),
  endpoint('GET', '/v1/coupons/:id', parameters<Stripe.CouponRetrieveParams>()({ expand }), (unit, _, { id }) =>
    shownCoupon(unit, existingCoupon(unit, id)),
  ),
  endpoint('POST', '/v1/coupons/:id', updateParameters, (unit, given, { id }) => {
    const coupon = existingCoupon(unit, id);
    const changes = {
      metadata: mergeMetadata(coupon.metadata ?? {}, given.metadata),
      ...(given.name === undefined ? {} : { name: given.name }),
    };
    return shownCoupon(unit, unit.update('coupon', coupon, changes, 'coupon.updated'));
  }),
  endpoint('DELETE', '/v1/coupons/:id', parameters<object>()({}), (unit, _, { id }) => deleteCoupon(unit, id)),
];

type Given = z.output<typeof createParameters>;

/** @throws ApiError 400 when the parameters do not fit each other, or the id is taken */
function createCoupon(unit: UnitOfWork, given: Given): Coupon {
  const { amount_off: off = null, percent_off: percentOff = null, duration = 'once' } = given;
  if ((off === null) === (percentOff === null))
    throw invalidRequest('You must pass either `percent_off` or `amount_off`.', { param: 'percent_off' });
  if (off !== null && given.currency === undefined)
    throw invalidRequest('You must pass `currency` with `amount_off`.', { param: 'currency' });
  if ((duration === 'repeating') !== (given.duration_in_months !== undefined))
    throw invalidRequest('`duration_in_months` belongs to `duration=repeating`.', { param: 'duration_in_months' });
  if (given.redeem_by !== undefined && given.redeem_by <= unit.now)
    throw invalidRequest('`redeem_by` must be in the future.', { param: 'redeem_by' });
  if ((given.redeem_by ?? 0) > periodStart(unit.now, { interval: 'year', count: 5 }, 1))
    throw invalidRequest('`redeem_by` cannot be more than 5 years in the future.', { param: 'redeem_by' });
  if (given.id !== undefined && unit.tables.coupon.get(given.id))
    throw invalidRequest('Coupon already exists.', { code: 'resource_already_exists', param: 'id' });
  const products = given.applies_to?.products;
  for (const [index, product] of (products ?? []).entries())
    existingProduct(unit, product, `applies_to[products][${index}]`);
  const draft = newCoupon(unit, {
    id: given.id ?? null,
    amount_off: off,
    currency: off === null ? null : (given.currency ?? null),
    duration,
    duration_in_months: given.duration_in_months ?? null,
    max_redemptions: given.max_redemptions ?? null,
    metadata: mergeMetadata({}, given.metadata),
    name: given.name ?? null,
    percent_off: percentOff,
    redeem_by: given.redeem_by ?? null,
  });
  if (products) unit.tables.coupon_scope.put({ id: draft.id, products });
  const coupon = unit.create('coupon', draft);
  unit.emit('coupon.created', coupon);
  return coupon;
}

/** Deletes a coupon: it can't be redeemed any more, and what has it keeps it. */
function deleteCoupon(unit: UnitOfWork, id: string): Stripe.DeletedCoupon {
  const coupon = existingCoupon(unit, id);
  unit.tables.removed_coupon.put({ id });
  unit.emit('coupon.deleted', { ...coupon, valid: false });
  return { id, object: 'coupon', deleted: true };
}

/** Returns the coupon. @throws ApiError when it does not exist or was deleted */
export function existingCoupon(unit: UnitOfWork, id: string, param = 'id'): Coupon {
  const coupon = unit.tables.coupon.get(id);
  if (!coupon || unit.tables.removed_coupon.get(id)) throw noSuch('coupon', id, param);
  return coupon;
}

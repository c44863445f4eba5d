import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint, endpointOn, noParameters, reads } from '../api/endpoint.ts';
import { invalidRequest } from '../api/errors.ts';
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
import { newId } from '../domain/ids.ts';
import { periodStart } from '../domain/periods.ts';
import { shownCoupon } from '../objects/coupon.ts';
import { existing, find } from '../objects/finding.ts';
import type { Coupon } from '../objects/stored.ts';
import { currency } from './price-amounts.ts';

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

/** What a coupon takes off in other currencies. */
const currencyOptions = z.record(currency, z.strictObject({ amount_off: integer(1, 99_999_999) }));

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
  currency_options: currencyOptions.optional(),
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
  currency_options: currencyOptions.optional(),
  expand,
  metadata: metadata.optional(),
  name: unsettableText(40).optional(),
});
const listParameters = parameters<Stripe.CouponListParams>()({ ...page, created });

/** Coupons: https://docs.stripe.com/api/coupons. */
export const couponEndpoints = [
  endpoint('POST', '/v1/coupons', createParameters, createCoupon),
  ...reads('coupon', '/v1/coupons', listParameters, {
    isListed: ({ id }, _, unit) => find(unit, 'coupon', id) !== undefined,
    shown: shownCoupon,
  }),
  endpointOn('coupon', 'POST', '/v1/coupons/:id', updateParameters, (unit, coupon, given) => {
    addCurrencies(unit, coupon, given.currency_options);
    const changes = { metadata: mergeMetadata(coupon.metadata, given.metadata), name: given.name };
    return shownCoupon(unit, unit.update('coupon', coupon, changes));
  }),
  endpointOn('coupon', 'DELETE', '/v1/coupons/:id', noParameters, deleteCoupon),
];

type Given = z.output<typeof createParameters>;

/**
 * Creates a coupon. Under the id of a deleted one it is another coupon, whose terms discounts of that one have from then on.
 * @throws ApiError 400 when the parameters do not fit each other, or the id is taken
 */
function createCoupon(unit: UnitOfWork, given: Given): Coupon {
  const { amount_off: off = null, percent_off: percentOff = null, duration = 'once' } = given;
  if ((off === null) === (percentOff === null))
    throw invalidRequest('You must pass either `percent_off` or `amount_off`.', 'percent_off');
  if (off !== null && given.currency === undefined)
    throw invalidRequest('You must pass `currency` with `amount_off`.', 'currency');
  if ((duration === 'repeating') !== (given.duration_in_months !== undefined))
    throw invalidRequest('`duration_in_months` belongs to `duration=repeating`.', 'duration_in_months');
  if (given.redeem_by !== undefined && given.redeem_by <= unit.now)
    throw invalidRequest('`redeem_by` must be in the future.', 'redeem_by');
  if ((given.redeem_by ?? 0) > periodStart(unit.now, { interval: 'year', count: 5 }, 1))
    throw invalidRequest('`redeem_by` cannot be more than 5 years in the future.', 'redeem_by');
  if (given.id !== undefined && find(unit, 'coupon', given.id))
    throw invalidRequest('Coupon already exists.', 'id', 'resource_already_exists');
  const products = given.applies_to?.products;
  for (const [index, product] of (products ?? []).entries())
    existing(unit, 'product', product, `applies_to[products][${index}]`);
  const draft: Coupon = {
    id: given.id ?? newId('', 8),
    object: 'coupon',
    amount_off: off,
    currency: off === null ? null : (given.currency ?? null),
    duration,
    duration_in_months: given.duration_in_months ?? null,
    max_redemptions: given.max_redemptions ?? null,
    metadata: mergeMetadata({}, given.metadata),
    name: given.name ?? null,
    percent_off: percentOff,
    redeem_by: given.redeem_by ?? null,
    created: unit.now,
    livemode: unit.livemode,
    times_redeemed: 0,
    valid: true,
  };
  const { id, currency: own } = draft;
  unit.tables.removed_coupon.remove(id);
  const inOwn = off === null || own === null ? null : { [own]: { amount_off: off } };
  unit.tables.coupon_detail.put({ id, products: products ?? null, currencyOptions: inOwn });
  addCurrencies(unit, draft, given.currency_options);
  return unit.create('coupon', draft, 'coupon.created');
}

/** @throws ApiError 400 for a coupon that takes off a percentage */
function addCurrencies(unit: UnitOfWork, { id, amount_off: off }: Coupon, added: Given['currency_options']): void {
  const detail = unit.tables.coupon_detail.get(id);
  if (!added || !detail) return;
  if (off === null) throw invalidRequest('`currency_options` belong to `amount_off`.', 'currency_options');
  unit.tables.coupon_detail.put({ ...detail, currencyOptions: { ...added, ...detail.currencyOptions } });
}

/** Deletes a coupon: it can't be redeemed any more, and what has it keeps it. */
function deleteCoupon(unit: UnitOfWork, coupon: Coupon): Stripe.DeletedCoupon {
  const { id } = coupon;
  unit.tables.removed_coupon.put({ id });
  unit.emit('coupon.deleted', { ...coupon, valid: false });
  return { id, object: 'coupon', deleted: true };
}

import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { createdWithin, listPage } from '../api/lists.ts';
import { mergeMetadata } from '../api/metadata.ts';
import {
  boolean,
  choice,
  created,
  expand,
  integer,
  metadata,
  page,
  parameters,
  text,
  timestamp,
} from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { codeProblem, isSameCode, shownCode } from '../objects/coupon.ts';
import { liveCustomer } from '../objects/customer.ts';
import type { PromotionCode } from '../objects/stored.ts';
import { existingCoupon } from './coupons.ts';
import { currency } from './price-amounts.ts';

const createParameters = parameters<Stripe.PromotionCodeCreateParams>()({
  active: boolean.optional(),
  code: text(500).optional(),
  customer: text().optional(),
  expand,
  expires_at: timestamp.optional(),
  max_redemptions: integer(1).optional(),
  metadata: metadata.optional(),
  promotion: z.strictObject({ coupon: text(), type: choice('coupon') }),
  restrictions: z
    .strictObject({
      first_time_transaction: boolean.optional(),
      minimum_amount: integer(1).optional(),
      minimum_amount_currency: currency.optional(),
    })
    .optional(),
});
const updateParameters = parameters<Stripe.PromotionCodeUpdateParams>()({
  active: boolean.optional(),
  expand,
  metadata: metadata.optional(),
});
const listParameters = parameters<Stripe.PromotionCodeListParams>()({
  ...page,
  active: boolean.optional(),
  code: text().optional(),
  coupon: text().optional(),
  created,
  customer: text().optional(),
});

/** Promotion codes: https://docs.stripe.com/api/promotion_codes. */
export const promotionCodeEndpoints = [
  endpoint('POST', '/v1/promotion_codes', createParameters, createCode),
  endpoint('GET', '/v1/promotion_codes', listParameters, (unit, given, { url }) => {
    const { active, code, coupon, customer } = given;
    const rows = unit.tables.promotion_code
      .newestFirst()
      .map(row => shownCode(unit, row))
      .filter(row => active === undefined || row.active === active)
      .filter(row => code === undefined || isSameCode(row.code, code))
      .filter(row => coupon === undefined || row.promotion.coupon === coupon)
      .filter(row => customer === undefined || row.customer === customer)
      .filter(createdWithin(given.created));
    return listPage(rows, given, url, 'promotion_code');
  }),
  endpoint(
    'GET',
    '/v1/promotion_codes/:id',
    parameters<Stripe.PromotionCodeRetrieveParams>()({ expand }),
    (unit, _, { id }) => shownCode(unit, existingCode(unit, id)),
  ),
  endpoint('POST', '/v1/promotion_codes/:id', updateParameters, (unit, given, { id }) => {
    const row = existingCode(unit, id);
    if (given.active === true && !shownCode(unit, row).active) {
      const problem = codeProblem(unit, { ...row, active: true });
      if (problem !== null) throw invalidRequest(problem, { param: 'active' });
      refuseTaken(unit, row.code, row.customer);
    }
    const changes = {
      metadata: mergeMetadata(row.metadata ?? {}, given.metadata),
      ...(given.active === undefined ? {} : { active: given.active }),
    };
    return shownCode(unit, unit.update('promotion_code', row, changes, 'promotion_code.updated'));
  }),
];

/** @throws ApiError 400 when the code is taken, or the parameters do not fit each other */
function createCode(unit: UnitOfWork, given: z.output<typeof createParameters>): PromotionCode {
  const coupon = existingCoupon(unit, given.promotion.coupon, 'promotion[coupon]');
  const customer = given.customer === undefined ? null : liveCustomer(unit, given.customer, 'customer').id;
  const { minimum_amount: least = null, minimum_amount_currency: of = null } = given.restrictions ?? {};
  if (given.code !== undefined && !/^[A-Za-z0-9-]+$/.test(given.code))
    throw invalidRequest('The code may contain letters, digits and dashes only.', { param: 'code' });
  if ((least === null) !== (of === null))
    throw invalidRequest('`minimum_amount` and `minimum_amount_currency` belong together.', { param: 'restrictions' });
  if (given.expires_at !== undefined && given.expires_at <= unit.now)
    throw invalidRequest('`expires_at` must be in the future.', { param: 'expires_at' });
  if ((given.max_redemptions ?? 0) > (coupon.max_redemptions ?? Infinity))
    throw invalidRequest('`max_redemptions` may not exceed that of the coupon.', { param: 'max_redemptions' });
  const code = given.code ?? newId('', 8).toUpperCase();
  refuseTaken(unit, code, customer);
  const row = unit.create('promotion_code', {
    id: newId('promo_1'),
    object: 'promotion_code',
    active: given.active ?? true,
    code,
    created: unit.now,
    customer,
    customer_account: null,
    expires_at: given.expires_at ?? null,
    livemode: unit.livemode,
    max_redemptions: given.max_redemptions ?? null,
    metadata: mergeMetadata({}, given.metadata),
    promotion: { coupon: coupon.id, type: 'coupon' },
    restrictions: {
      first_time_transaction: given.restrictions?.first_time_transaction ?? false,
      minimum_amount: least,
      minimum_amount_currency: of,
    },
    times_redeemed: 0,
  });
  unit.emit('promotion_code.created', row);
  return shownCode(unit, row);
}

/** Among the active codes that a customer can redeem each is there once, in any case. */
function refuseTaken(unit: UnitOfWork, code: string, customer: string | null): void {
  const other = unit.tables.promotion_code
    .newestFirst()
    .find(row => isSameCode(row.code, code) && row.customer === customer && shownCode(unit, row).active);
  if (other)
    throw invalidRequest(`An active promotion code with \`code: ${code}\` already exists.`, {
      code: 'resource_already_exists',
      param: 'code',
    });
}

function existingCode(unit: UnitOfWork, id: string): PromotionCode {
  const row = unit.tables.promotion_code.get(id);
  if (!row) throw noSuch('promotion code', id);
  return row;
}

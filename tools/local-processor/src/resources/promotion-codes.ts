import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint, endpointOn, reads } from '../api/endpoint.ts';
import { invalidRequest } from '../api/errors.ts';
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
import { existing } from '../objects/finding.ts';
import type { PromotionCode } from '../objects/stored.ts';
import { currency } from './price-amounts.ts';

/** The least amounts in other currencies. */
const currencyOptions = z.record(currency, z.strictObject({ minimum_amount: integer(1) }));

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
      currency_options: currencyOptions.optional(),
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
  ...reads('promotion_code', '/v1/promotion_codes', listParameters, {
    by: ['customer'],
    isListed: (row, { active, code, coupon }, unit) =>
      (active === undefined || shownCode(unit, row).active === active) &&
      (code === undefined || isSameCode(row.code, code)) &&
      (coupon === undefined || row.promotion.coupon === coupon),
    shown: shownCode,
  }),
  endpointOn(
    'promotion_code',
    'POST',
    '/v1/promotion_codes/:id',
    updateParameters,
    (unit, row, { active, ...given }) => {
      if (active === true && !shownCode(unit, row).active) {
        const problem = codeProblem(unit, { ...row, active: true });
        if (problem !== null) throw invalidRequest(problem, 'active');
        refuseTaken(unit, row.code, row.customer);
      }
      const changes = { active, metadata: mergeMetadata(row.metadata, given.metadata) };
      return shownCode(unit, unit.update('promotion_code', row, changes));
    },
  ),
];

/** @throws ApiError 400 when the code is taken, or the parameters do not fit each other */
function createCode(unit: UnitOfWork, given: z.output<typeof createParameters>): PromotionCode {
  const coupon = existing(unit, 'coupon', given.promotion.coupon, 'promotion[coupon]');
  const customer = given.customer === undefined ? null : existing(unit, 'customer', given.customer, 'customer').id;
  const { minimum_amount: least = null, minimum_amount_currency: of = null } = given.restrictions ?? {};
  if (given.code !== undefined && !/^[A-Za-z0-9-]+$/.test(given.code))
    throw invalidRequest('The code may contain letters, digits and dashes only.', 'code');
  if ((least === null) !== (of === null))
    throw invalidRequest('`minimum_amount` and `minimum_amount_currency` belong together.', 'restrictions');
  if (given.expires_at !== undefined && given.expires_at <= unit.now)
    throw invalidRequest('`expires_at` must be in the future.', 'expires_at');
  if ((given.max_redemptions ?? 0) > (coupon.max_redemptions ?? Infinity))
    throw invalidRequest('`max_redemptions` may not exceed that of the coupon.', 'max_redemptions');
  const code = given.code ?? newId('', 8).toUpperCase();
  refuseTaken(unit, code, customer);
  const row: PromotionCode = {
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
  };
  const others = given.restrictions?.currency_options;
  if (others && of === null) throw invalidRequest('`currency_options` belong to `minimum_amount`.', 'restrictions');
  if (least !== null && of !== null)
    unit.tables.code_detail.put({ id: row.id, currencyOptions: { ...others, [of]: { minimum_amount: least } } });
  return shownCode(unit, unit.create('promotion_code', row, 'promotion_code.created'));
}

/** Among the active codes that a customer can redeem each is there once, in any case. */
function refuseTaken(unit: UnitOfWork, code: string, customer: string | null): void {
  const other = unit.tables.promotion_code
    .newestFirst()
    .find(row => isSameCode(row.code, code) && row.customer === customer && shownCode(unit, row).active);
  if (other)
    throw invalidRequest(
      `An active promotion code with \`code: ${code}\` already exists.`,
      'code',
      'resource_already_exists',
    );
}

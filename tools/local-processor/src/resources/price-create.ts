import type { Stripe } from 'stripe';
import { z } from 'zod';
import { invalidRequest } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { boolean, choice, expand, integer, metadata, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { isBillable } from '../domain/periods.ts';
import { existing } from '../objects/finding.ts';
import { newPrice } from '../objects/price.ts';
import type { Price } from '../objects/stored.ts';
import { currency, currencyOption, currencyOptions, ownAmount } from './price-amounts.ts';

export const createParameters = parameters<Stripe.PriceCreateParams>()({
  ...ownAmount,
  active: boolean.optional(),
  billing_scheme: choice('per_unit', 'tiered').optional(),
  currency,
  currency_options: currencyOptions.optional(),
  expand,
  metadata: metadata.optional(),
  nickname: text().optional(),
  product: text(),
  recurring: z
    .strictObject({
      interval: choice('day', 'week', 'month', 'year'),
      interval_count: integer(1).default(1),
      meter: text().optional(),
      usage_type: choice('licensed', 'metered').optional(),
    })
    .optional(),
  tiers_mode: choice('graduated', 'volume').optional(),
  transform_quantity: z.strictObject({ divide_by: integer(1), round: choice('up', 'down') }).optional(),
});
type Given = z.output<typeof createParameters>;

/** Creates a price. @throws ApiError 400 when parameters do not fit each other */
export function createPrice(unit: UnitOfWork, given: Given): Price {
  const product = existing(unit, 'product', given.product, 'product');
  const isTiered = given.billing_scheme === 'tiered';
  checkScheme(given, isTiered);
  const own = currencyOption(given, isTiered);
  const others = Object.entries(given.currency_options ?? {}).map(([code, option]) => {
    const path = `currency_options[${code}]`;
    if (code === given.currency)
      throw invalidRequest(`The price's own currency ${code} cannot be one of its \`currency_options\`.`, path);
    return [code, currencyOption(option, isTiered, path)] as const;
  });
  const price = newPrice(unit, {
    active: given.active ?? true,
    currency: given.currency,
    metadata: mergeMetadata({}, given.metadata),
    nickname: given.nickname ?? null,
    product: product.id,
    cadence: cadenceOf(given),
    own,
    tiers_mode: given.tiers_mode ?? null,
    transform_quantity: given.transform_quantity ?? null,
    usageType: given.recurring?.usage_type ?? 'licensed',
    meter: meterOf(unit, given),
  });
  unit.tables.price_detail.put({
    id: price.id,
    currencyOptions: Object.fromEntries([[given.currency, own], ...others]),
  });
  return unit.create('price', price, 'price.created');
}

function checkScheme(given: Given, isTiered: boolean): void {
  if (isTiered && given.tiers_mode === undefined)
    throw invalidRequest('Missing required param: tiers_mode.', 'tiers_mode', 'parameter_missing');
  if (!isTiered && given.tiers_mode !== undefined)
    throw invalidRequest('`tiers_mode` can only be set when `billing_scheme` is `tiered`.', 'tiers_mode');
  if (isTiered && given.transform_quantity)
    throw invalidRequest('`transform_quantity` cannot be combined with `tiers`.', 'transform_quantity');
  if (isTiered && !given.recurring) throw invalidRequest('A tiered price must be recurring.', 'billing_scheme');
}

function cadenceOf({ recurring }: Given) {
  if (!recurring) return null;
  const cadence = { interval: recurring.interval, count: recurring.interval_count };
  if (!isBillable(cadence))
    throw invalidRequest(
      'Invalid interval_count: a period may be no longer than three years.',
      'recurring[interval_count]',
    );
  return cadence;
}

function meterOf(unit: UnitOfWork, { recurring }: Given): string | null {
  if (recurring?.meter === undefined) return null;
  const param = 'recurring[meter]';
  if (recurring.usage_type !== 'metered')
    throw invalidRequest('`recurring[meter]` can only be set when `recurring[usage_type]` is `metered`.', param);
  return existing(unit, 'billing.meter', recurring.meter, param).id;
}

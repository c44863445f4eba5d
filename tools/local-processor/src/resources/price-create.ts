import type { Stripe } from 'stripe';
import { z } from 'zod';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { boolean, choice, expand, integer, metadata, parameters, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { isBillable } from '../domain/periods.ts';
import { newPrice } from '../objects/price.ts';
import type { Price } from '../objects/stored.ts';
import { currency, currencyOption, currencyOptions, ownAmount } from './price-amounts.ts';
import { existingProduct } from './products.ts';

export const createParameters = parameters<Stripe.PriceCreateParams>()({
  ...ownAmount,
  active: boolean.optional(),
  billing_scheme: choice('per_unit', 'tiered').optional(),
  currency,
  currency_options: currencyOptions.optional(),
  expand,
  lookup_key: text(200).optional(),
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
  transfer_lookup_key: boolean.optional(),
  transform_quantity: z.strictObject({ divide_by: integer(1), round: choice('up', 'down') }).optional(),
});
type Given = z.output<typeof createParameters>;

/** Creates a price. @throws ApiError 400 when parameters do not fit each other */
export function createPrice(unit: UnitOfWork, given: Given): Price {
  const product = existingProduct(unit, given.product, 'product');
  const isTiered = given.billing_scheme === 'tiered';
  checkScheme(given, isTiered);
  const own = currencyOption(given, isTiered);
  const others = Object.entries(given.currency_options ?? {}).map(([code, option]) => {
    const path = `currency_options[${code}]`;
    if (code === given.currency)
      throw invalidRequest(`The price's own currency ${code} cannot be one of its \`currency_options\`.`, {
        param: path,
      });
    return [code, currencyOption(option, isTiered, path)] as const;
  });
  const price = newPrice(unit, {
    active: given.active ?? true,
    currency: given.currency,
    lookupKey: reserveLookupKey(unit, given.lookup_key ?? null, given.transfer_lookup_key ?? false, null),
    metadata: mergeMetadata({}, given.metadata),
    nickname: given.nickname ?? null,
    product: product.id,
    cadence: cadenceOf(given),
    own,
    tiersMode: given.tiers_mode ?? null,
    transform: given.transform_quantity ?? null,
    usageType: given.recurring?.usage_type ?? 'licensed',
    meter: meterOf(unit, given),
  });
  unit.create('price', price);
  unit.tables.price_detail.put({
    id: price.id,
    currencyOptions: Object.fromEntries([[given.currency, own], ...others]),
  });
  unit.emit('price.created', price);
  return price;
}

function checkScheme(given: Given, isTiered: boolean): void {
  if (isTiered && given.tiers_mode === undefined)
    throw invalidRequest('Missing required param: tiers_mode.', { code: 'parameter_missing', param: 'tiers_mode' });
  if (!isTiered && given.tiers_mode !== undefined)
    throw invalidRequest('`tiers_mode` can only be set when `billing_scheme` is `tiered`.', { param: 'tiers_mode' });
  if (isTiered && given.transform_quantity)
    throw invalidRequest('`transform_quantity` cannot be combined with `tiers`.', { param: 'transform_quantity' });
  if (isTiered && !given.recurring)
    throw invalidRequest('A tiered price must be recurring.', { param: 'billing_scheme' });
}

function cadenceOf({ recurring }: Given) {
  if (!recurring) return null;
  const cadence = { interval: recurring.interval, count: recurring.interval_count };
  if (!isBillable(cadence))
    throw invalidRequest('Invalid interval_count: a period may be no longer than three years.', {
      param: 'recurring[interval_count]',
    });
  return cadence;
}

function meterOf(unit: UnitOfWork, { recurring }: Given): string | null {
  if (recurring?.meter === undefined) return null;
  const param = 'recurring[meter]';
  if (recurring.usage_type !== 'metered')
    throw invalidRequest('`recurring[meter]` can only be set when `recurring[usage_type]` is `metered`.', { param });
  if (!unit.tables['billing.meter'].get(recurring.meter)) throw noSuch('meter', recurring.meter, param);
  return recurring.meter;
}

/** Reserves a lookup key, which belongs to one price of the account. Only `transfer` moves it from another price. */
export function reserveLookupKey(
  unit: UnitOfWork,
  key: string | null,
  transfer: boolean,
  priceId: string | null,
): string | null {
  if (key === null) return null;
  const holder = unit.tables.price.withField('lookup_key', key).find(({ id }) => id !== priceId);
  if (!holder) return key;
  if (!transfer)
    throw invalidRequest(`A price (\`${holder.id}\`) already uses that lookup key.`, {
      code: 'resource_already_exists',
      param: 'lookup_key',
    });
  unit.update('price', holder, { lookup_key: null }, 'price.updated');
  return key;
}

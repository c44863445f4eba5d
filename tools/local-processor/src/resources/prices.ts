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
  reject,
  text,
  unsettableText,
} from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { isCurrency } from '../domain/money.ts';
import { isBillable } from '../domain/periods.ts';
import { newPrice } from '../objects/price.ts';
import type { Price } from '../objects/stored.ts';
import { existingProduct } from './products.ts';

const MAX_AMOUNT = 99_999_999;

/** A currency code; Stripe accepts it in any case and stores it in lower case. */
export const currency = text(16).transform((value, context) => {
  const code = value.toLowerCase();
  if (!isCurrency(code))
    return reject(context, { message: `Invalid currency: ${value}. It must be an ISO 4217 code.` });
  return code;
});

const taxBehavior = choice('exclusive', 'inclusive', 'unspecified');

const createParameters = parameters<Stripe.PriceCreateParams>()({
  active: boolean.optional(),
  billing_scheme: choice('per_unit').optional(),
  currency,
  expand,
  lookup_key: text(200).optional(),
  metadata: metadata.optional(),
  nickname: text().optional(),
  product: text(),
  recurring: z
    .strictObject({
      interval: choice('day', 'week', 'month', 'year'),
      interval_count: integer(1).default(1),
      usage_type: choice('licensed').optional(),
    })
    .optional(),
  tax_behavior: taxBehavior.optional(),
  transfer_lookup_key: boolean.optional(),
  unit_amount: integer(0, MAX_AMOUNT).optional(),
});
const updateParameters = parameters<Stripe.PriceUpdateParams>()({
  active: boolean.optional(),
  expand,
  lookup_key: unsettableText(200).optional(),
  metadata: metadata.optional(),
  nickname: unsettableText().optional(),
  tax_behavior: taxBehavior.optional(),
  transfer_lookup_key: boolean.optional(),
});
const listParameters = parameters<Stripe.PriceListParams>()({
  ...page,
  active: boolean.optional(),
  created,
  currency: currency.optional(),
  lookup_keys: z.array(z.string()).max(10).optional(),
  product: text().optional(),
  type: choice('one_time', 'recurring').optional(),
});

export const priceEndpoints = [
  endpoint('POST', '/v1/prices', createParameters, createPrice),
  endpoint('GET', '/v1/prices', listParameters, listPrices),
  endpoint('GET', '/v1/prices/:id', parameters<Stripe.PriceRetrieveParams>()({ expand }), (unit, _, { id }) =>
    existingPrice(unit, id),
  ),
  endpoint('POST', '/v1/prices/:id', updateParameters, (unit, given, { id }) => updatePrice(unit, id, given)),
];

function createPrice(unit: UnitOfWork, given: z.output<typeof createParameters>): Price {
  const product = existingProduct(unit, given.product, 'product');
  if (given.unit_amount === undefined)
    throw invalidRequest('Prices require an `unit_amount` or `unit_amount_decimal` parameter to be set.', {
      code: 'parameter_missing',
      param: 'unit_amount',
    });
  const cadence = given.recurring
    ? { interval: given.recurring.interval, count: given.recurring.interval_count }
    : null;
  if (cadence && !isBillable(cadence))
    throw invalidRequest('Invalid interval_count: a period may be no longer than three years.', {
      param: 'recurring[interval_count]',
    });
  const lookupKey = reserveLookupKey(unit, given.lookup_key ?? null, given.transfer_lookup_key ?? false, null);
  const price = newPrice(unit, {
    active: given.active ?? true,
    currency: given.currency,
    lookupKey,
    metadata: mergeMetadata({}, given.metadata),
    nickname: given.nickname ?? null,
    product: product.id,
    cadence,
    unitAmount: given.unit_amount,
    taxBehavior: given.tax_behavior ?? 'unspecified',
  });
  unit.create('price', price);
  unit.emit('price.created', price);
  return price;
}

function updatePrice(unit: UnitOfWork, id: string, given: z.output<typeof updateParameters>): Price {
  const price = existingPrice(unit, id);
  const { active, lookup_key: lookupKey, nickname, tax_behavior: tax } = given;
  const product = unit.tables.product.get(price.product);
  if (active === false && product && 'default_price' in product && product.default_price === id)
    throw invalidRequest('This price cannot be archived because it is the default price of its product.', {
      param: 'active',
    });
  const reservedKey =
    lookupKey === undefined ? undefined : reserveLookupKey(unit, lookupKey, given.transfer_lookup_key ?? false, id);
  const changes: Partial<Price> = {
    metadata: mergeMetadata(price.metadata, given.metadata),
    ...(active === undefined ? {} : { active }),
    ...(reservedKey === undefined ? {} : { lookup_key: reservedKey }),
    ...(nickname === undefined ? {} : { nickname }),
    ...(tax === undefined ? {} : { tax_behavior: tax }),
  };
  return unit.update('price', price, changes, 'price.updated');
}

/** Reserves a lookup key, which belongs to one price of the account. Only `transfer` moves it from another price. */
function reserveLookupKey(
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

function listPrices(unit: UnitOfWork, given: z.output<typeof listParameters>, { url }: { url: string }) {
  const { active, currency: code, lookup_keys: keys, product, type } = given;
  const candidates =
    product === undefined ? unit.tables.price.newestFirst() : unit.tables.price.withField('product', product);
  const rows = candidates
    .filter(row => active === undefined || row.active === active)
    .filter(row => code === undefined || row.currency === code)
    .filter(row => type === undefined || row.type === type)
    .filter(row => !keys || (row.lookup_key !== null && keys.includes(row.lookup_key)))
    .filter(createdWithin(given.created));
  return listPage(rows, given, url, 'price');
}

/** Returns the price. @throws ApiError when it does not exist */
export function existingPrice(unit: UnitOfWork, id: string, param = 'id'): Price {
  const price = unit.tables.price.get(id);
  if (!price) throw noSuch('price', id, param);
  return price;
}

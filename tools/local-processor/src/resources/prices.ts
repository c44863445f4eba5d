import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint, endpointOn, reads } from '../api/endpoint.ts';
import { invalidRequest } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import {
  boolean,
  choice,
  created,
  empty,
  expand,
  metadata,
  page,
  parameters,
  text,
  unsettableText,
} from '../api/parameters.ts';
import type { Changes, UnitOfWork } from '../api/unit-of-work.ts';
import { existing, find } from '../objects/finding.ts';
import { currencyOptionsOf, isMetered } from '../objects/price.ts';
import { hasEnded } from '../objects/subscription.ts';
import type { CurrencyOption, Customer, Price } from '../objects/stored.ts';
import { currency, currencyOption, currencyOptions, taxBehavior } from './price-amounts.ts';
import { createParameters, createPrice } from './price-create.ts';

const updateParameters = parameters<Stripe.PriceUpdateParams>()({
  active: boolean.optional(),
  currency_options: z.union([empty, currencyOptions]).optional(),
  expand,
  metadata: metadata.optional(),
  nickname: unsettableText().optional(),
  tax_behavior: taxBehavior.optional(),
});
const listParameters = parameters<Stripe.PriceListParams>()({
  ...page,
  active: boolean.optional(),
  created,
  currency: currency.optional(),
  product: text().optional(),
  type: choice('one_time', 'recurring').optional(),
});

export const priceEndpoints = [
  endpoint('POST', '/v1/prices', createParameters, createPrice),
  ...reads('price', '/v1/prices', listParameters, {
    by: ['active', 'currency', 'product', 'type'],
  }),
  endpointOn('price', 'POST', '/v1/prices/:id', updateParameters, updatePrice),
];

function updatePrice(unit: UnitOfWork, price: Price, given: z.output<typeof updateParameters>): Price {
  const { active, nickname, tax_behavior } = given;
  const { id } = price;
  if (active === false && find(unit, 'product', price.product)?.default_price === id)
    throw invalidRequest('This price cannot be archived because it is the default price of its product.', 'active');
  if (tax_behavior && price.tax_behavior !== 'unspecified' && tax_behavior !== price.tax_behavior)
    throw invalidRequest(`You cannot change the tax behavior once it is set to ${price.tax_behavior}.`, 'tax_behavior');
  const pairs = mergeMetadata(price.metadata, given.metadata);
  const changes: Changes<Price> = { active, metadata: pairs, nickname, tax_behavior };
  const changed = updateCurrencies(unit, price, given.currency_options);
  const updated = unit.update('price', price, changes);
  // The event shows no currency options, so its object may be the same as before.
  if (changed && updated === price) unit.emit('price.updated', price, {});
  return updated;
}

/** Adds or replaces currencies of a price; null removes all but its own. Returns whether anything was given. */
function updateCurrencies(
  unit: UnitOfWork,
  price: Price,
  given: z.output<typeof currencyOptions> | null | undefined,
): boolean {
  if (given === undefined) return false;
  const { [price.currency]: own, ...others } = currencyOptionsOf(unit, price);
  const isTiered = price.billing_scheme === 'tiered';
  const changes = Object.entries(given ?? {}).map(([code, option]) => {
    const path = `currency_options[${code}]`;
    if (code === price.currency)
      throw invalidRequest(`The amount in the price's own currency ${code} cannot be changed.`, path);
    return [code, changedOption(others[code], option, { isTiered, path })] as const;
  });
  const kept = given === null ? [] : Object.entries(others);
  const all = [...(own ? [[price.currency, own] as const] : []), ...kept, ...changes];
  unit.tables.price_detail.put({ id: price.id, currencyOptions: Object.fromEntries(all) });
  return true;
}

/** Returns what a price costs in a currency after a change: the same where no amount is given. */
function changedOption(
  current: CurrencyOption | undefined,
  given: z.output<typeof currencyOptions>[string],
  { isTiered, path }: { isTiered: boolean; path: string },
): CurrencyOption {
  const { tax_behavior = current?.tax_behavior, ...amount } = given;
  if (current && current.tax_behavior !== 'unspecified' && current.tax_behavior !== tax_behavior)
    throw invalidRequest(
      `You cannot change the tax behavior once it is set to ${current.tax_behavior}.`,
      `${path}[tax_behavior]`,
    );
  if (current && Object.keys(amount).length === 0)
    return { ...current, tax_behavior: tax_behavior ?? current.tax_behavior };
  return currencyOption({ tax_behavior, ...amount }, isTiered, path);
}

/**
 * Deletes a price, as the dashboard does with one that was never used. Returns a stub.
 * @throws ApiError 400 when a subscription, invoice or checkout uses the price
 */
export function deletePrice(unit: UnitOfWork, id: string): Stripe.DeletedPrice {
  const price = existing(unit, 'price', id);
  if (isUsed(unit, id))
    throw invalidRequest('This price has been used, so it cannot be deleted. Archive it instead.', 'id');
  const product = find(unit, 'product', price.product);
  if (product?.default_price === id) unit.update('product', product, { default_price: null, updated: unit.now });
  unit.tables.price.remove(id);
  unit.tables.price_detail.remove(id);
  unit.emit('price.deleted', price);
  return { id, object: 'price', deleted: true };
}

function isUsed(unit: UnitOfWork, id: string): boolean {
  const { subscription, invoice, checkout_plan: plan } = unit.tables;
  return (
    subscription.newestFirst().some(row => row.items.data.some(({ price }) => price.id === id)) ||
    invoice.newestFirst().some(row => row.lines.data.some(({ pricing }) => pricing.price_details.price === id)) ||
    plan.newestFirst().some(row => row.lines.some(({ price }) => price.id === id))
  );
}

/**
 * Returns a price that a subscription can bill.
 * @throws ApiError 400 when it does not exist, is inactive or bills once, or has another currency than the subscription
 */
export function recurringPrice(
  unit: UnitOfWork,
  id: string,
  param: string,
  subscriptionCurrency: string | null,
): Price {
  const price = sellablePrice(unit, id, 'recurring', param);
  if (subscriptionCurrency !== null) requireCurrency(unit, price, subscriptionCurrency, param);
  return price;
}

/** Returns a price of a type that can be billed. @throws ApiError 400 when it does not exist, is inactive or of the other type */
export function sellablePrice(unit: UnitOfWork, id: string, type: 'one_time' | 'recurring', param: string): Price {
  const price = existing(unit, 'price', id, param);
  if (price.type !== type)
    throw invalidRequest(
      `The price specified is set to \`type=${price.type}\` but this field only accepts prices with \`type=${type}\`.`,
      param,
    );
  if (!price.active)
    throw invalidRequest('The price specified is inactive. This field only accepts active prices.', param);
  return price;
}

/**
 * Returns the quantity of an item: 1 by default, and null for a metered price.
 * @throws ApiError 400 when a metered price is given a quantity
 */
export function quantityOf(price: Price, given: number | undefined, param: string): number | null {
  if (!isMetered(price)) return given ?? 1;
  if (given === undefined) return null;
  throw invalidRequest('You cannot set a quantity for a metered price: usage decides it.', param);
}

/** Checks that a price has an amount in a currency. @throws ApiError 400 */
export function requireCurrency(unit: UnitOfWork, price: Price, wanted: string, param: string): void {
  const supported = Object.keys(currencyOptionsOf(unit, price));
  if (!supported.includes(wanted))
    throw invalidRequest(
      `The price specified only supports ${supported.map(code => `\`${code}\``).join(', ')}. This doesn't match the expected currency: \`${wanted}\`.`,
      param,
    );
}

/**
 * Rejects a subscription in another currency than the customer's live ones, or than its balance.
 * @throws ApiError 400
 */
export function rejectSecondCurrency(unit: UnitOfWork, customer: Customer, code: string | null): void {
  const live = unit.tables.subscription
    .withField('customer', customer.id)
    .find(row => !hasEnded(row) && row.currency !== code);
  const other = live?.currency ?? (customer.balance === 0 || customer.currency === code ? null : customer.currency);
  if (other)
    throw invalidRequest(
      `You cannot combine currencies on a single customer. This customer has an active subscription or a balance with currency ${other}.`,
    );
}

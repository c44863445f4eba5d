import { z } from 'zod';
import { invalidRequest } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { boolean, integer, metadata, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { pendingItems } from '../billing/prorations.ts';
import { newId } from '../domain/ids.ts';
import { wholeAmount } from '../domain/price-amount.ts';
import { existing } from '../objects/finding.ts';
import { newInvoiceItem } from '../objects/invoice-item.ts';
import { currencyOptionsOf, newPrice, priceAmount, productName } from '../objects/price.ts';
import type { Customer, InvoiceItem } from '../objects/stored.ts';
import { currency, MAX_AMOUNT } from './price-amounts.ts';
import { requireCurrency, sellablePrice } from './prices.ts';
import { createProduct } from './products.ts';

/** The parameters of what is billed once, which invoices, invoice items and previews share. */
export const oneTimeParameters = {
  amount: integer(-MAX_AMOUNT, MAX_AMOUNT).optional(),
  description: text().optional(),
  discountable: boolean.optional(),
  metadata: metadata.optional(),
  price_data: z.strictObject({ currency, product: text(), unit_amount: integer(0, MAX_AMOUNT) }).optional(),
  quantity: integer(0, 999_999_999).optional(),
};
export const pricingParameter = z.strictObject({ price: text() }).optional();

interface Given extends z.output<z.ZodObject<typeof oneTimeParameters>> {
  currency?: string | undefined;
  price?: string | undefined;
  pricing?: { price: string } | undefined;
}

interface Billing {
  customer: Customer;
  subscription?: string | null;
  /** That of the invoice; null when what is given decides it. */
  currency: string | null;
  /** The parameter that contains what is given, such as `lines[0]`. */
  path?: string;
}

/**
 * Returns an invoice item for a one-time price, an amount of a product or an amount alone. It is not stored, nor are the price and
 * the product that Stripe makes of an amount.
 * @throws ApiError 400 when there is not exactly one of them, or the price cannot be billed once in the currency
 */
export function oneTimeItem(unit: UnitOfWork, given: Given, of: Billing): InvoiceItem {
  const { customer, subscription = null, path = '' } = of;
  const { price, product, unitAmount, ...billed } = priced(unit, given, of.currency, name =>
    path === '' ? name : `${path}[${name}]`,
  );
  return newInvoiceItem(unit, {
    ...billed,
    customer: customer.id,
    description: given.description ?? billed.description,
    discountable: given.discountable ?? billed.amount >= 0,
    metadata: mergeMetadata({}, given.metadata),
    parent: subscription === null ? null : { subscription_details: { subscription }, type: 'subscription_details' },
    period: { start: unit.now, end: unit.now },
    pricing: { price_details: { price, product }, type: 'price_details', unit_amount_decimal: unitAmount },
    proration: false,
    quantity: given.quantity ?? 1,
    test_clock: customer.test_clock ?? null,
  });
}

/**
 * Returns what an invoice of a customer bills once: what waits for one, and what a request adds, which is not stored. A preview may
 * give another amount to what waits.
 * @throws ApiError 400 when what is added is not one price or amount, or names nothing that there is
 */
export function billedOnce(
  unit: UnitOfWork,
  of: Billing & { currency: string; path: string },
  given: readonly (Given & { invoiceitem?: string | undefined })[],
): InvoiceItem[] {
  const { customer, currency: billedIn } = of;
  const waiting = pendingItems(unit, { id: null, customer: customer.id, currency: billedIn }).map(item => ({
    ...item,
    amount: given.find(({ invoiceitem: id }) => id === item.id)?.amount ?? item.amount,
  }));
  const added = given.flatMap((item, index) => {
    const path = `${of.path}[${index}]`;
    if (item.invoiceitem === undefined) return [oneTimeItem(unit, item, { ...of, path })];
    existing(unit, 'invoiceitem', item.invoiceitem, `${path}[invoiceitem]`);
    return [];
  });
  return [...waiting, ...added];
}

function priced(unit: UnitOfWork, given: Given, expected: string | null, nameOf: (name: string) => string) {
  const { amount, price_data: data, price: priceId = given.pricing?.price, quantity } = given;
  const param = nameOf('amount');
  const named = [amount, priceId, data].filter(value => value !== undefined).length;
  if (named === 0) throw invalidRequest(`Missing required param: ${param}.`, param, 'parameter_missing');
  if (named > 1 || (amount !== undefined && quantity !== undefined))
    throw invalidRequest('You may only specify one of these parameters: amount, price_data, pricing, quantity.', param);
  const wanted = expected ?? given.currency ?? data?.currency;
  for (const [name, code] of [
    [nameOf('currency'), given.currency],
    [`${nameOf('price_data')}[currency]`, data?.currency],
  ] as const)
    if (code !== undefined && code !== wanted)
      throw invalidRequest(`You cannot combine currencies on a single invoice. It is in ${wanted}.`, name);
  if (priceId !== undefined) {
    const priceParam = given.pricing ? `${nameOf('pricing')}[price]` : nameOf('price');
    return pricedBy(unit, { priceId, quantity: quantity ?? 1, wanted }, priceParam);
  }
  if (wanted === undefined)
    throw invalidRequest(`Missing required param: ${nameOf('currency')}.`, nameOf('currency'), 'parameter_missing');
  const unitAmount = data?.unit_amount ?? amount ?? 0;
  const fresh = { price: newId('price_1'), currency: wanted, unitAmount: String(unitAmount) };
  if (!data) return { ...fresh, amount: unitAmount, description: null, product: newId('prod_', 14) };
  const productParam = `${nameOf('price_data')}[product]`;
  const product = existing(unit, 'product', data.product, productParam);
  if (!product.active) throw invalidRequest(`The product ${product.id} is inactive.`, productParam);
  return { ...fresh, amount: unitAmount * (quantity ?? 1), description: product.name, product: product.id };
}

function pricedBy(
  unit: UnitOfWork,
  { priceId, quantity, wanted }: { priceId: string; quantity: number; wanted: string | undefined },
  param: string,
) {
  const price = sellablePrice(unit, priceId, 'one_time', param);
  const billedIn = wanted ?? price.currency;
  requireCurrency(unit, price, billedIn, param);
  return {
    amount: priceAmount(unit, price, billedIn, quantity),
    currency: billedIn,
    description: productName(unit, price),
    price: price.id,
    product: price.product,
    unitAmount: currencyOptionsOf(unit, price)[billedIn]?.unit_amount_decimal ?? null,
  };
}

/** Stores an item, and the price and the product of an amount, which nothing else can use; emits their events. */
export function storeItem(unit: UnitOfWork, item: InvoiceItem): InvoiceItem {
  const { price, product: id } = item.pricing.price_details;
  if (!unit.tables.product.get(id))
    createProduct(unit, { id, name: (item.description ?? 'One-time item').slice(0, 250), active: false });
  if (!unit.tables.price.get(price)) storePrice(unit, price, item);
  return unit.create('invoiceitem', item, 'invoiceitem.created');
}

function storePrice(unit: UnitOfWork, id: string, { currency: code, pricing }: InvoiceItem): void {
  const decimal = pricing.unit_amount_decimal;
  const amounts = { unit_amount: wholeAmount(decimal), unit_amount_decimal: decimal };
  const own = { ...amounts, custom_unit_amount: null, tax_behavior: 'unspecified', tiers: null } as const;
  const { product } = pricing.price_details;
  const once = { cadence: null, meter: null, nickname: null, tiers_mode: null, transform_quantity: null };
  const fields = { ...once, active: false, currency: code, metadata: {}, own, product, usageType: 'licensed' } as const;
  unit.tables.price_detail.put({ id, currencyOptions: { [code]: own } });
  unit.create('price', { ...newPrice(unit, fields), id }, 'price.created');
}

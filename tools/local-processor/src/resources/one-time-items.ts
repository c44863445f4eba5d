import { z } from 'zod';
import { invalidRequest } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { boolean, integer, metadata, text } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
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

interface Given {
  amount?: number | undefined;
  description?: string | undefined;
  discountable?: boolean | undefined;
  metadata?: Record<string, string> | null | undefined;
  price?: string | undefined;
  price_data?: { currency: string; product: string; unit_amount: number } | undefined;
  quantity?: number | undefined;
}

interface Billing {
  customer: Customer;
  /** That of the price when nothing decides it. */
  currency: string | null;
  subscription?: string | null;
  /** The parameter that contains them: `lines[0]`. */
  path?: string;
  /** The names of the parameter that contains the price. */
  priceParam?: readonly string[];
}

/**
 * Returns an invoice item for a one-time price, an amount of a product or an amount alone. It is not stored, nor are the price and
 * the product that Stripe makes of an amount.
 * @throws ApiError 400 when there is not exactly one of them, or the price cannot be billed once in the currency
 */
export function oneTimeItem(unit: UnitOfWork, given: Given, of: Billing): InvoiceItem {
  const { customer, path, priceParam = ['pricing', 'price'], subscription = null } = of;
  const nameOf: NameOf = (...names) => {
    const [root = '', ...inner] = path === undefined ? names : [path, ...names];
    return root + inner.map(name => `[${name}]`).join('');
  };
  requireOne(given, nameOf);
  const billed = pricedBy(unit, given, { currency: of.currency, price: nameOf(...priceParam), nameOf });
  return newInvoiceItem(unit, {
    amount: billed.amount,
    currency: billed.currency,
    customer: customer.id,
    description: given.description ?? billed.name,
    discountable: given.discountable ?? billed.amount >= 0,
    metadata: mergeMetadata({}, given.metadata),
    parent: subscription === null ? null : { subscription_details: { subscription }, type: 'subscription_details' },
    period: { start: unit.now, end: unit.now },
    pricing: {
      price_details: { price: billed.price, product: billed.product },
      type: 'price_details',
      unit_amount_decimal: billed.unitAmount,
    },
    proration: false,
    quantity: given.quantity ?? 1,
    test_clock: customer.test_clock ?? null,
  });
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
  const own = {
    custom_unit_amount: null,
    tax_behavior: 'unspecified',
    tiers: null,
    unit_amount: wholeAmount(decimal),
    unit_amount_decimal: decimal,
  } as const;
  const { product } = pricing.price_details;
  const once = { cadence: null, meter: null, nickname: null, tiers_mode: null, transform_quantity: null };
  const fields = { ...once, active: false, currency: code, metadata: {}, own, product, usageType: 'licensed' } as const;
  unit.tables.price_detail.put({ id, currencyOptions: { [code]: own } });
  unit.create('price', { ...newPrice(unit, fields), id }, 'price.created');
}

type NameOf = (...names: string[]) => string;

function requireOne({ amount, price, price_data: data, quantity }: Given, nameOf: NameOf): void {
  const param = nameOf('amount');
  const named = [amount, price, data].filter(value => value !== undefined).length;
  if (named === 0) throw invalidRequest(`Missing required param: ${param}.`, param, 'parameter_missing');
  if (named > 1)
    throw invalidRequest('You may only specify one of these parameters: amount, price_data, pricing.', param);
  if (amount !== undefined && quantity !== undefined)
    throw invalidRequest('You may only specify one of these parameters: amount, quantity.', param);
}

function pricedBy(
  unit: UnitOfWork,
  { amount = 0, price: priceId, price_data: data, quantity = 1 }: Given,
  { currency: wanted, price: priceParam, nameOf }: { currency: string | null; price: string; nameOf: NameOf },
) {
  if (priceId !== undefined) {
    const price = sellablePrice(unit, priceId, 'one_time', priceParam);
    const billedIn = wanted ?? price.currency;
    requireCurrency(unit, price, billedIn, priceParam);
    return {
      amount: priceAmount(unit, price, billedIn, quantity),
      currency: billedIn,
      name: productName(unit, price),
      price: price.id,
      product: price.product,
      unitAmount: currencyOptionsOf(unit, price)[billedIn]?.unit_amount_decimal ?? null,
    };
  }
  const fresh = { price: newId('price_1'), currency: wanted ?? data?.currency ?? '' };
  if (fresh.currency === '')
    throw invalidRequest(`Missing required param: ${nameOf('currency')}.`, nameOf('currency'), 'parameter_missing');
  if (!data) return { ...fresh, amount, name: null, product: newId('prod_', 14), unitAmount: String(amount) };
  const param = nameOf('price_data', 'product');
  const product = existing(unit, 'product', data.product, param);
  if (!product.active) throw invalidRequest(`The product ${product.id} is inactive, and cannot be billed.`, param);
  if (data.currency !== fresh.currency)
    throw invalidRequest(
      `You cannot combine currencies on a single invoice. The invoice is in ${fresh.currency}.`,
      nameOf('price_data', 'currency'),
    );
  const unitAmount = data.unit_amount;
  return {
    ...fresh,
    amount: unitAmount * quantity,
    name: product.name,
    product: product.id,
    unitAmount: String(unitAmount),
  };
}

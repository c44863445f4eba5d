import type { NewInvoiceLine, Price, Product } from '@billing/client';
import { isQuantity } from '#ui/quantity.ts';
import { parseMoney } from '#ui/parse-money.ts';
import { QUANTITY_MISSING } from '../products/price-row.ts';
import { soldPrices } from '../products/sold-prices.ts';

/** What a line bills, in words. */
export const LINE_KINDS = {
  price: 'One-time price',
  product: 'Product at an amount',
  amount: 'Amount',
  reduction: 'Reduction',
} as const;
export type LineKind = keyof typeof LINE_KINDS;

/** One line of a form, as it is written. */
export interface LineForm {
  readonly kind: LineKind;
  readonly priceId: string;
  readonly productId: string;
  readonly quantity: string;
  /** Of one, for a product. */
  readonly amount: string;
  readonly description: string;
}

/** What can be billed once. */
export interface Billable {
  readonly prices: readonly Price[];
  readonly products: readonly Product[];
}

/** Returns the one-time prices and the products that are sold. */
export function billableOf(prices: readonly Price[], products: readonly Product[]): Billable {
  return {
    prices: soldPrices(prices, products).filter(({ type }) => type === 'one_time'),
    products: products.filter(({ isActive }) => isActive),
  };
}

/** Returns the kinds of lines that there can be. */
export const kindsOf = ({ prices, products }: Billable): readonly LineKind[] => [
  ...(prices.length > 0 ? (['price'] as const) : []),
  ...(products.length > 0 ? (['product'] as const) : []),
  'amount',
  'reduction',
];

/** Returns a line of which nothing is written: of a price, where there is one. */
export const newLine = ({ prices, products }: Billable): LineForm => ({
  kind: prices.length > 0 ? 'price' : 'amount',
  priceId: prices[0]?.id ?? '',
  productId: products[0]?.id ?? '',
  quantity: '1',
  amount: '',
  description: '',
});

/** What is written, or what is missing. */
export type ReadLine = { readonly line: NewInvoiceLine } | { readonly missing: string };

/** Returns the line that a form describes, with amounts in a currency, or why it describes none. */
export function readLine(form: LineForm, currency: string): ReadLine {
  const { kind, priceId, productId } = form;
  const quantity = Number(form.quantity);
  const description = form.description.trim();
  if ((kind === 'price' || kind === 'product') && !isQuantity(quantity)) return { missing: QUANTITY_MISSING };
  if (kind === 'price') return { line: { priceId, quantity } };
  const { amount } = parseMoney(form.amount, currency);
  if (amount === undefined) return { missing: 'Write the amount of each line.' };
  if (kind === 'product')
    return { line: { productId, unitAmount: amount, quantity, ...(description !== '' && { description }) } };
  if (description === '') return { missing: 'Write what each amount is for.' };
  return { line: { description, amount: kind === 'reduction' ? 0 - amount : amount } };
}

import type { CheckoutCreate, Price } from '@billing/client';
import { MAX_DAYS_UNTIL_DUE } from '../invoices/invoice-form.ts';
import { QUANTITY_MISSING, readPriceRows, type PriceRow } from '../products/price-row.ts';

/** How a sale is collected, in words. */
export const COLLECTIONS = {
  saved: 'Charge now',
  invoice: 'Send an invoice',
  page: 'Make a link to a page',
  nothing: 'Collect nothing now',
} as const;
export type Collection = keyof typeof COLLECTIONS;

/** What becomes of a subscription whose trial ends without a payment method, in words. */
export const TRIAL_ENDS = {
  create_invoice: 'It is billed all the same',
  pause: 'It is paused',
  cancel: 'It ends',
} as const;

export const MAX_TRIAL_DAYS = 730;

/** What the form of a sale says, as it is written. */
export interface SaleForm {
  readonly customerId: string;
  readonly rows: readonly PriceRow[];
  /** Empty for that of the first price. */
  readonly currency: string;
  readonly trialDays: string;
  readonly trialEnd: keyof typeof TRIAL_ENDS;
  readonly promotionCode: string;
  readonly isOncePerCustomer: boolean;
  readonly collect: Collection;
  readonly daysUntilDue: string;
  /** Whether a page asks for a payment method also when nothing is due. */
  readonly asksForMethod: boolean;
}

/** Returns a form in which little more is chosen than what the service would choose. */
export const newSaleForm = (first: Pick<SaleForm, 'customerId' | 'rows' | 'collect'>): SaleForm => ({
  currency: '',
  trialDays: '',
  trialEnd: 'create_invoice',
  promotionCode: '',
  isOncePerCustomer: false,
  daysUntilDue: '30',
  asksForMethod: true,
  ...first,
});

/** What a form sells: a subscription, or on a page what is paid once. */
export const sellsSubscription = ({ rows }: Pick<SaleForm, 'rows'>, prices: readonly Price[]): boolean =>
  rows.some(({ priceId }) => prices.some(({ id, type }) => id === priceId && type === 'recurring'));

/** A price, which may be sold in other currencies too. */
interface Priced {
  readonly id: string;
  readonly currency: string;
  readonly currencyOptions?: object | undefined;
}

/** Returns the currencies that all chosen prices have, that of the first one first. */
export function currenciesOf({ rows }: Pick<SaleForm, 'rows'>, prices: readonly Priced[]): readonly string[] {
  const chosen = rows.flatMap(({ priceId }) => prices.find(({ id }) => id === priceId) ?? []);
  const [first = [], ...others] = chosen.map(({ currency, currencyOptions = {} }) => [
    currency,
    ...Object.keys(currencyOptions),
  ]);
  return first.filter(currency => others.every(one => one.includes(currency)));
}

/** Returns what is sold, or why the form describes no sale. The addresses of a page are yet to be added. */
export function readSaleForm(
  form: SaleForm,
  prices: readonly Price[],
): { readonly sale: CheckoutCreate } | { readonly missing: string } {
  const { customerId, rows, collect, currency, trialEnd, isOncePerCustomer, asksForMethod } = form;
  if (customerId === '') return { missing: 'Choose the customer.' };
  const items = readPriceRows(rows, priceId => prices.find(({ id }) => id === priceId)?.usageType === 'metered');
  if (!items) return { missing: QUANTITY_MISSING };
  const isSubscription = sellsSubscription(form, prices);
  if (!isSubscription && collect !== 'page')
    return { missing: 'Choose a price that is billed again and again. A new invoice bills something once.' };
  const trialDays = isSubscription ? wholeNumber(form.trialDays, 1, MAX_TRIAL_DAYS) : undefined;
  if (trialDays === null) return { missing: `A trial has 1 to ${MAX_TRIAL_DAYS} days.` };
  const daysUntilDue = collect === 'invoice' ? wholeNumber(form.daysUntilDue, 0, MAX_DAYS_UNTIL_DUE) : undefined;
  if (daysUntilDue === null || (collect === 'invoice' && daysUntilDue === undefined))
    return { missing: `An invoice is due in 0 to ${MAX_DAYS_UNTIL_DUE} days.` };
  const promotionCode = form.promotionCode.trim();
  const shared = {
    customerId,
    items,
    collect,
    ...(currenciesOf(form, prices).includes(currency) && { currency }),
    ...(promotionCode !== '' && { promotionCode }),
    ...(isOncePerCustomer && { oncePerCustomer: true }),
  };
  if (!isSubscription) return { sale: { ...shared, mode: 'payment' } };
  return {
    sale: {
      ...shared,
      // Who pays sent invoices needs no payment method.
      ...(trialDays !== undefined && { trialDays, ...(collect !== 'invoice' && { trialEndsWithoutMethod: trialEnd }) }),
      ...(daysUntilDue !== undefined && { daysUntilDue }),
      ...(collect === 'page' && !asksForMethod && { paymentMethodCollection: 'if_required' }),
    },
  };
}

/** Reads a whole number; undefined where nothing is written, null for what is none within the limits. */
function wholeNumber(text: string, least: number, most: number): number | null | undefined {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isInteger(number) && number >= least && number <= most ? number : null;
}

/** Returns the part of a sale that says what is due now; undefined where only its page says it. */
export function costOf(sale: CheckoutCreate): CheckoutCreate | undefined {
  const { customerId, items, currency, trialDays, promotionCode, oncePerCustomer, mode } = sale;
  if (mode === 'payment') return undefined;
  // A preview is not of a page.
  return { customerId, items, currency, trialDays, promotionCode, oncePerCustomer, collect: 'invoice' };
}

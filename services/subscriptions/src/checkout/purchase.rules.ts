import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { CustomerId } from '@billing/contracts/ids';
import { conflict, unprocessable } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';

type Mode = 'subscription' | 'payment';

/** What a sale depends on. */
export interface Offer {
  readonly price: Pick<PriceState, 'isActive' | 'type'> & Partial<Pick<PriceState, 'interval' | 'intervalCount'>>;
  readonly product: Pick<ProductState, 'isActive' | 'deletedAt'>;
}

/**
 * Checks that a price is for sale and fits the mode: a subscription needs a recurring price, a payment a one-time price.
 * @throws Problem 422 `product_inactive`, `price_inactive` or `price_type_mismatch`
 */
export function requireSellable(offer: Offer, mode: Mode): void {
  requireActive(offer);
  const needed = mode === 'subscription' ? 'recurring' : 'one_time';
  if (offer.price.type !== needed) throw typeMismatch(mode);
}

function requireActive({ price, product }: Offer): void {
  if (!price.isActive) throw unprocessable('price_inactive', 'The price is not active.');
  if (!product.isActive || product.deletedAt)
    throw unprocessable('product_inactive', 'The product of this price is not active.');
}

function typeMismatch(mode: Mode) {
  const kind = mode === 'subscription' ? 'a recurring' : 'a one-time';
  return unprocessable('price_type_mismatch', `A ${mode} needs ${kind} price.`);
}

/** What is sold, and all currencies that its price has an amount in. */
export interface SoldItem {
  readonly offer: Offer;
  readonly currencies: readonly string[];
}

/**
 * Checks that prices are for sale together: a payment has one-time prices only; a subscription at least one recurring price, all
 * of one interval, and one-time prices that its first invoice bills too.
 * @throws Problem 422 `product_inactive`, `price_inactive`, `price_type_mismatch`, `interval_mismatch`, `currency_mismatch`
 */
export function requireSoldTogether(sold: readonly SoldItem[], mode: Mode, currency: string): void {
  for (const { offer } of sold) requireActive(offer);
  const recurring = sold.filter(({ offer }) => offer.price.type === 'recurring');
  if (mode === 'payment' ? recurring.length > 0 : recurring.length === 0) throw typeMismatch(mode);
  const intervals = new Set(recurring.map(({ offer: { price } }) => `${price.intervalCount} ${price.interval}`));
  if (intervals.size > 1) throw unprocessable('interval_mismatch', 'All recurring prices need one interval.');
  for (const { currencies } of sold) {
    if (currencies.includes(currency)) continue;
    const [price = ''] = currencies;
    const details = { checkout: currency, price } satisfies ProblemDetails['currency_mismatch'];
    throw unprocessable('currency_mismatch', `A price is in ${price}, and not in ${currency}.`, details);
  }
}

/**
 * Checks that a customer has no subscription in another currency: the processor allows only one.
 * https://docs.stripe.com/invoicing/multi-currency-customers
 * @throws Problem 422 `customer_currency_mismatch`
 */
export function requireSameCurrency(ofCustomer: readonly string[], wanted: string): void {
  const customer = ofCustomer.find(currency => currency !== wanted);
  if (customer === undefined) return;
  const details = { customer, wanted } satisfies ProblemDetails['customer_currency_mismatch'];
  const message = `The customer has a subscription in ${customer}; another one cannot be in ${wanted}.`;
  throw unprocessable('customer_currency_mismatch', message, details);
}

/** What a customer has bought of some products so far. */
export interface PurchaseHistory {
  /** Whether a subscription to one of them has neither ended nor waits for its first payment. */
  readonly isSubscribed: boolean;
  readonly hadTrial: boolean;
}

/** What a checkout allows only once. */
export interface PurchaseLimits {
  readonly oncePerCustomer: boolean;
  readonly trialOncePerCustomer: boolean;
  readonly trialDays?: number | undefined;
}

/**
 * Checks that a customer may buy products, and have their trial, once more.
 * @throws Problem 409 `already_subscribed`; 422 `trial_already_used`
 */
export function requireWithinLimits(history: PurchaseHistory, limits: PurchaseLimits): void {
  if (limits.oncePerCustomer && history.isSubscribed) throw alreadySubscribed();
  if (limits.trialOncePerCustomer && limits.trialDays !== undefined && history.hadTrial) {
    throw unprocessable('trial_already_used', 'The customer already had a trial of this product; omit trialDays.');
  }
}

/** Returns on what sales to a customer take turns: what is sold only once counts for the next one. */
export const turnOfSales = (customerId: CustomerId): string => `${customerId}:sale`;

export const alreadySubscribed = () =>
  conflict('already_subscribed', 'The customer already has a subscription to this product.');

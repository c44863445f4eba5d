import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import { conflict, unprocessable } from '@billing/contracts/problem';

/** What a sale depends on. */
export interface Offer {
  readonly price: Pick<PriceState, 'isActive' | 'type'>;
  readonly product: Pick<ProductState, 'isActive' | 'deletedAt'>;
}

/**
 * Checks that a price is for sale and fits the mode: a subscription needs a recurring price, a payment a one-time price.
 * @throws Problem 422 `product_inactive`, `price_inactive` or `price_type_mismatch`
 */
export function requireSellable({ price, product }: Offer, mode: 'subscription' | 'payment'): void {
  if (!price.isActive) throw unprocessable('price_inactive', 'The price is not active.');
  if (!product.isActive || product.deletedAt) {
    throw unprocessable('product_inactive', 'The product of this price is not active.');
  }
  const needed = mode === 'subscription' ? 'recurring' : 'one_time';
  if (price.type !== needed) {
    const kind = needed === 'recurring' ? 'a recurring' : 'a one-time';
    throw unprocessable('price_type_mismatch', `A ${mode} needs ${kind} price.`);
  }
}

/** What a customer has bought of a product so far. */
export interface PurchaseHistory {
  /** Whether a subscription to it has neither ended nor waits for its first payment. */
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
 * Checks that a customer may buy a product, and have its trial, once more.
 * @throws Problem 409 `already_subscribed`; 422 `trial_already_used`
 */
export function requireWithinLimits(history: PurchaseHistory, limits: PurchaseLimits): void {
  if (limits.oncePerCustomer && history.isSubscribed) {
    throw conflict('already_subscribed', 'The customer already has a subscription to this product.');
  }
  if (limits.trialOncePerCustomer && limits.trialDays !== undefined && history.hadTrial) {
    throw unprocessable('trial_already_used', 'The customer already had a trial of this product; omit trialDays.');
  }
}

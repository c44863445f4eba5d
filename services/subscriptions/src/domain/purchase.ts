import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import { unprocessable } from '@billing/contracts/problem';

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
    throw unprocessable('price_type_mismatch', `A checkout in ${mode} mode needs ${kind} price.`);
  }
}

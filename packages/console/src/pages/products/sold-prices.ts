import type { Price, Product } from '@billing/client';

/** Returns the prices that are for sale: active ones of active products. */
export function soldPrices(prices: readonly Price[], products: readonly Product[]): readonly Price[] {
  const sold = new Set<string>(products.filter(({ isActive }) => isActive).map(({ id }) => id));
  return prices.filter(({ isActive, productId }) => isActive && sold.has(productId));
}

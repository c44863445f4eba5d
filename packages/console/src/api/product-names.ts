import type { Price, Product, Subscription } from '@billing/client';

type Item = Pick<Subscription['items'][number], 'priceId' | 'processorPriceId'>;

export interface ProductNames {
  /** False until products and prices are loaded; then the names are ids. */
  readonly isLoaded: boolean;
  /** Returns the name of the product that a price sells, also an archived one; undefined for a price that is not known here. */
  readonly ofPrice: (priceId: string | null | undefined) => string | undefined;
  /** Returns what a subscription is to: `Pro + Seats`. A price that is not known here has its id at the processor. */
  readonly ofItems: (items: readonly Item[]) => string;
}

const joins = new WeakMap<readonly Price[], { products: readonly Product[]; names: ReadonlyMap<string, string> }>();

/** Joins prices and products, once for each result of the two queries. */
function join(prices: readonly Price[], products: readonly Product[]): ReadonlyMap<string, string> {
  const known = joins.get(prices);
  if (known?.products === products) return known.names;
  const nameOf = new Map<string, string>(products.map(({ id, name }) => [id, name]));
  const names = new Map<string, string>(
    prices.map(({ id, productId }) => [id, nameOf.get(productId) ?? 'Deleted product']),
  );
  joins.set(prices, { products, names });
  return names;
}

/** Returns the names by which people know prices: those of their products. */
export function productNames(
  prices: readonly Price[] | undefined,
  products: readonly Product[] | undefined,
): ProductNames {
  const names = prices && products ? join(prices, products) : undefined;
  const ofPrice = (priceId: string | null | undefined) => (priceId ? names?.get(priceId) : undefined);
  return {
    isLoaded: names !== undefined,
    ofPrice,
    ofItems: items => {
      const shown = items.map(({ priceId, processorPriceId }) => ofPrice(priceId) ?? processorPriceId);
      return [...new Set(shown)].join(' + ');
    },
  };
}

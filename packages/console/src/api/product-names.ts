import type { Price, Product, Subscription } from '@billing/client';

type Item = Pick<Subscription['items'][number], 'priceId' | 'processorPriceId'>;

export interface ProductNames {
  /** False until products and prices are loaded; then the names are ids. */
  readonly isLoaded: boolean;
  /** Returns the name of the product that a price sells, also an archived one; undefined for a price that is not known here. */
  readonly ofPrice: (priceId: string | null | undefined) => string | undefined;
  /** Returns the product that a price sells; undefined for a price that is not known here. */
  readonly productOf: (priceId: string | null | undefined) => Product | undefined;
  /** Returns what a subscription is to: `Pro + Seats`. A price that is not known here has its id at the processor. */
  readonly ofItems: (items: readonly Item[]) => string;
}

/** Returns what a product is counted in, after a quantity: `seats`; undefined for a product without a unit. */
export function unitOf(
  names: Pick<ProductNames, 'productOf'>,
  priceId: string | null | undefined,
  quantity: number,
): string | undefined {
  const unit = names.productOf(priceId)?.unitLabel;
  if (!unit) return undefined;
  return quantity === 1 ? unit : `${unit}s`;
}

interface Sold {
  readonly name: string;
  /** Undefined once it was deleted. */
  readonly product: Product | undefined;
}

const joins = new WeakMap<readonly Price[], { products: readonly Product[]; sold: ReadonlyMap<string, Sold> }>();

/** Joins prices and products, once for each result of the two queries. */
function join(prices: readonly Price[], products: readonly Product[]): ReadonlyMap<string, Sold> {
  const known = joins.get(prices);
  if (known?.products === products) return known.sold;
  const productOf = new Map<string, Product>(products.map(product => [product.id, product]));
  const sold = new Map<string, Sold>(
    prices.map(({ id, productId }) => {
      const product = productOf.get(productId);
      return [id, { name: product?.name ?? 'Deleted product', product }];
    }),
  );
  joins.set(prices, { products, sold });
  return sold;
}

/** Returns the names by which people know prices: those of their products. */
export function productNames(
  prices: readonly Price[] | undefined,
  products: readonly Product[] | undefined,
): ProductNames {
  const sold = prices && products ? join(prices, products) : undefined;
  const find = (priceId: string | null | undefined) => (priceId ? sold?.get(priceId) : undefined);
  return {
    isLoaded: sold !== undefined,
    ofPrice: priceId => find(priceId)?.name,
    productOf: priceId => find(priceId)?.product,
    ofItems: items => {
      const shown = items.map(({ priceId, processorPriceId }) => find(priceId)?.name ?? processorPriceId);
      return [...new Set(shown)].join(' + ');
    },
  };
}

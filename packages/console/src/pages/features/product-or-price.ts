import type { Price, Product, ProductFeature } from '@billing/client';
import { formatPrice } from '#ui/amount.ts';

/** A product, or a price of it, that may give features. */
export interface ProductOrPrice {
  readonly id: string;
  readonly productId: string;
  readonly productName: string;
  /** What a price costs; undefined for a product. */
  readonly price: string | undefined;
}

/** Returns products, each followed by its prices. */
export function productsAndPrices(products: readonly Product[], prices: readonly Price[]): readonly ProductOrPrice[] {
  const byProduct = Map.groupBy(prices, ({ productId }) => productId);
  return products.flatMap(({ id: productId, name: productName }) => [
    { id: productId, productId, productName, price: undefined },
    ...(byProduct.get(productId) ?? []).map(price => ({
      id: price.id,
      productId,
      productName,
      price: formatPrice(price),
    })),
  ]);
}

/** Returns the id of the product or the price that gives a feature. */
export const idOfProductOrPrice = ({ productId, priceId }: ProductFeature): string => priceId ?? productId ?? '';

/** Names a product or a price in one line: `Pro: $29.00 a month`. */
export const nameOfProductOrPrice = ({ productName, price }: ProductOrPrice): string =>
  price ? `${productName}: ${price}` : productName;

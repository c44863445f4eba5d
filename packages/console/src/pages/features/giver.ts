import type { Price, Product, ProductFeature } from '@billing/client';
import { formatPrice } from '#ui/amount.ts';

/** A product, or a price instead of its product, that features can be given by. */
export interface Giver {
  readonly id: string;
  readonly isPrice: boolean;
  readonly productId: string;
  /** The product's name, and of a price what it costs. */
  readonly productName: string;
  readonly price: string | undefined;
}

/** Returns products, each followed by its prices. */
export function giversOf(products: readonly Product[], prices: readonly Price[]): readonly Giver[] {
  const byProduct = Map.groupBy(prices, ({ productId }) => productId);
  return products.flatMap(({ id, name }) => {
    const ofProduct = { productId: id, productName: name };
    const ofPrices = (byProduct.get(id) ?? []).map(price => ({
      ...ofProduct,
      id: price.id,
      isPrice: true,
      price: formatPrice(price),
    }));
    return [{ ...ofProduct, id, isPrice: false, price: undefined }, ...ofPrices];
  });
}

/** Returns the id of what gives a feature. */
export const giverIdOf = ({ productId, priceId }: ProductFeature): string => priceId ?? productId ?? '';

/** Names a giver in one line: `Pro: $29.00 a month`. */
export const giverName = ({ productName, price }: Giver): string => (price ? `${productName}: ${price}` : productName);

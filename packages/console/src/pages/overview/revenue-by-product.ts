import type { Analytics, Product } from '@billing/client';
import type { ProductNames } from '#api/product-names.ts';

interface ProductRevenue {
  /** Undefined for the rest, and for prices whose product is not known. */
  readonly product: Product | undefined;
  /** Monthly recurring revenue in the project's currency. */
  readonly mrr: number;
}

const MAX_PRODUCTS = 6;

/** Returns what each product adds to `mrr`, the most first, and what the rest adds. */
export function revenueByProduct(
  { mrr, mrrByPrice }: Pick<Analytics, 'mrr' | 'mrrByPrice'>,
  currency: string,
  { productOf }: Pick<ProductNames, 'productOf'>,
): readonly ProductRevenue[] {
  const all = [...Map.groupBy(mrrByPrice, ({ priceId }) => productOf(priceId))]
    .filter(([product]) => product !== undefined)
    .map(([product, prices]) => ({ product, mrr: prices.reduce((sum, it) => sum + (it.mrr[currency] ?? 0), 0) }))
    .filter(it => it.mrr > 0)
    .toSorted((one, other) => other.mrr - one.mrr);
  const shown = all.slice(0, MAX_PRODUCTS);
  const rest = mrr - shown.reduce((sum, it) => sum + it.mrr, 0);
  // Each price is rounded by itself, so a rest of a few cents is none.
  return rest > mrrByPrice.length ? [...shown, { product: undefined, mrr: rest }] : shown;
}

import type { Price } from '@billing/client';
import { useProductNames } from '#api/use-product-names.ts';
import { formatPrice } from '#ui/amount.ts';
import { Options } from '#ui/field.tsx';

/** Returns what says what a price sells and costs: `Pro: $29.99 a month`; only what it costs until its product is known. */
export function usePriceText(): (price: Price) => string {
  const names = useProductNames();
  return price => [names.ofPrice(price.id), formatPrice(price)].filter(Boolean).join(': ');
}

/** The options of a select: what each price sells and costs. */
export function PriceOptions({ of }: { readonly of: readonly Price[] }) {
  const textOf = usePriceText();
  return <Options of={Object.fromEntries(of.map(price => [price.id, textOf(price)]))} />;
}

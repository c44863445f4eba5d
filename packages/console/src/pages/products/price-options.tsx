import type { Price } from '@billing/client';
import { useProductNames } from '#api/use-product-names.ts';
import { formatPrice } from '#ui/amount.ts';

/** The options of a select: what each price sells and costs. */
export function PriceOptions({ of }: { readonly of: readonly Price[] }) {
  const names = useProductNames();
  return of.map(price => (
    <option key={price.id} value={price.id}>
      {names.ofPrice(price.id)}: {formatPrice(price)}
    </option>
  ));
}

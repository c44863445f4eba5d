import { isQuantity } from '#ui/quantity.ts';

/** A price and how many of it, as they are written. */
export interface PriceRow {
  /** Tells the rows apart. */
  readonly key: string;
  /** Empty for a price that is not known here. */
  readonly priceId: string;
  readonly quantity: string;
}

/** A price and how many of it; usage says how many there are of a metered price. */
export interface ReadPriceRow {
  readonly priceId: string;
  readonly quantity?: number;
}

export const QUANTITY_MISSING = 'Each quantity is a whole number above zero.';

/** Returns what rows say; undefined when a quantity is none. */
export function readPriceRows(
  rows: readonly PriceRow[],
  isMetered: (priceId: string) => boolean,
): readonly ReadPriceRow[] | undefined {
  const read = rows.map(({ priceId, quantity }) =>
    isMetered(priceId) ? { priceId } : { priceId, quantity: Number(quantity) },
  );
  const isWhole = read.every(row => !('quantity' in row) || isQuantity(row.quantity));
  return isWhole ? read : undefined;
}

import type { Price } from '@billing/client';

/** Returns a price with its amount in one of its currencies only; undefined where it has none. */
export function priceIn(price: Price, currency: string): Price | undefined {
  const { [currency]: option } = price.currencyOptions;
  const only = { ...price, currency, currencyOptions: {} };
  if (price.currency === currency) return only;
  return option && { ...only, unitAmount: option.unitAmount, unitAmountDecimal: null };
}

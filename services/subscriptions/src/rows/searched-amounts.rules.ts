import { decimalsOf, PROCESSOR_CURRENCIES } from '@billing/contracts/currency-decimals';

/** An amount in the smallest unit of each of some currencies. */
export interface SearchedAmount {
  readonly amount: number;
  readonly currencies: readonly string[];
}

const BY_DECIMALS = Map.groupBy(PROCESSOR_CURRENCIES, decimalsOf);

/** Thousands apart or not, then up to three decimals after a point, or up to two after a comma. */
const AMOUNT = /^\p{Sc}?\s*(\d{1,3}(?:[,’'\s]\d{3}){1,3}|\d{1,12})(?:\.(\d{1,3})|,(\d{1,2}))?\s*\p{Sc}?$/u;

/**
 * Returns the amounts that a text like `$12.50`, `1,250` or `12,50 €` stands for, by the decimals of currencies: `12` is 1200
 * usd, 12 jpy or 12000 kwd. None for any other text.
 */
export function searchedAmounts(text: string): readonly SearchedAmount[] {
  const [, whole, afterPoint, afterComma] = AMOUNT.exec(text) ?? [];
  if (whole === undefined) return [];
  const fraction = afterPoint ?? afterComma ?? '';
  return [...BY_DECIMALS]
    .filter(([decimals]) => fraction.length <= decimals)
    .map(([decimals, currencies]) => ({
      amount: Number(whole.replaceAll(/\D/g, '') + fraction.padEnd(decimals, '0')),
      currencies,
    }));
}

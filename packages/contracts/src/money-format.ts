import { decimalsOf, isWholeCurrency } from './currency-decimals.ts';

/**
 * Returns a formatter of amounts in a currency's smallest unit, for a locale: 2999 usd is `$29.99`, 500000 ugx is
 * `UGX 5,000`. The decimals are the processor's: `Intl` has fewer for some currencies (the Albanian lek, for example).
 * A code that is none, of a record from elsewhere, follows the number. `fraction` is how many decimals of the smallest unit are
 * shown at most.
 */
export function moneyFormat(currency: string, locale?: string, fraction = 0): (amount: number) => string {
  const code = currency.toLowerCase();
  const decimals = decimalsOf(code);
  if (!/^[a-z]{3}$/.test(code))
    return amount => `${(amount / 10 ** decimals).toFixed(decimals + fraction)} ${currency}`;
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: code,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals + fraction,
    trailingZeroDisplay: isWholeCurrency(code) ? 'stripIfInteger' : 'auto',
  });
  return amount => format.format(amount / 10 ** decimals);
}

/** Formats an amount in a currency's smallest unit for a locale. */
export const formatMoney = (amount: number, currency: string, locale?: string): string =>
  moneyFormat(currency, locale)(amount);

/** Decimals of the smallest unit that a price may have. An amount with more has no last one: a twelfth of a year's, for example. */
const MAX_FRACTION = 12;

/**
 * Formats an amount that may have fractions of the smallest unit, as decimal text: 0.5 usd is `$0.005`. What has no last decimal
 * is rounded to the smallest unit.
 */
export function formatExactMoney(amount: string, currency: string, locale?: string): string {
  const fraction = amount.split('.')[1]?.length ?? 0;
  return moneyFormat(currency, locale, fraction > MAX_FRACTION ? 0 : fraction)(Number(amount));
}

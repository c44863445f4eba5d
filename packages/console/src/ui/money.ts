import { decimalsOf, formatMoney as formatMoneyFor } from '@billing/client';
import { READER_LOCALE } from './reader-locale.ts';

/** Formats an amount in the currency's smallest unit for the reader's locale: 2999 usd is $29.99. */
export const formatMoney = (amount: number, currency: string, locale = READER_LOCALE): string =>
  formatMoneyFor(amount, currency, locale);

/** Writes an amount in the currency's smallest unit as a decimal number without the currency: 2999 usd is 29.99. */
export function decimalText(amount: number, currency: string): string {
  const decimals = decimalsOf(currency);
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)];
  return `${amount < 0 ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

/** Decimals of the smallest unit that a price may have. An amount with more has no last one: a twelfth of a year's, for example. */
const MAX_FRACTION = 12;

/** Formats an amount that may be less than the smallest unit: 0.25 usd is $0.0025. What has no last decimal is rounded. */
export function formatExactMoney(amount: string, currency: string): string {
  const decimals = decimalsOf(currency);
  const fraction = amount.split('.')[1]?.length ?? 0;
  const digits = {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals + (fraction > MAX_FRACTION ? 0 : fraction),
  };
  return new Intl.NumberFormat(READER_LOCALE, {
    style: 'currency',
    currency: currency.toUpperCase(),
    ...digits,
  }).format(Number(amount) / 10 ** decimals);
}

/** Formats an amount as short as it can be, for the axis of a chart: $30, $22.50, $1.2K. */
export function formatShortMoney(amount: number, currency: string): string {
  const style = { style: 'currency', currency: currency.toUpperCase() } as const;
  const units = amount / 10 ** decimalsOf(currency);
  const digits =
    Math.abs(units) < 1_000
      ? ({ trailingZeroDisplay: 'stripIfInteger' } as const)
      : ({ notation: 'compact', minimumFractionDigits: 0, maximumFractionDigits: 1 } as const);
  return new Intl.NumberFormat(READER_LOCALE, { ...style, ...digits }).format(units);
}

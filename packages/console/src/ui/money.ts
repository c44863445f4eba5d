import { decimalsOf, formatExactMoney as formatExactMoneyFor, formatMoney as formatMoneyFor } from '@billing/client';
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

/** Formats an amount that may have fractions of the smallest unit: 0.25 usd is $0.0025. What has no last decimal is rounded. */
export const formatExactMoney = (amount: string, currency: string): string =>
  formatExactMoneyFor(amount, currency, READER_LOCALE);

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

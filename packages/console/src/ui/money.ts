import { amountFormat, decimalsOf } from '@billing/contracts/currencies';

/** Stripe's amounts have at most twelve decimals. https://docs.stripe.com/api/prices/create */
const MOST_FRACTIONS = 12;

/** Formats an amount in the currency's smallest unit for the reader's locale: 2999 usd is $29.99. */
export const formatMoney = (amount: number, currency: string): string => amountFormat(currency)(amount);

/** Formats an amount that may be less than the smallest unit: 0.25 usd is $0.0025. */
export const formatExactMoney = (amount: string, currency: string): string =>
  amountFormat(currency, undefined, MOST_FRACTIONS)(amount);

/** Formats an amount as short as it can be, for the axis of a chart: $30, $22.50, $1.2K. */
export function formatShortMoney(amount: number, currency: string): string {
  const style = { style: 'currency', currency: currency.toUpperCase() } as const;
  const units = amount / 10 ** decimalsOf(currency);
  const digits =
    Math.abs(units) < 1_000
      ? ({ trailingZeroDisplay: 'stripIfInteger' } as const)
      : ({ notation: 'compact', minimumFractionDigits: 0, maximumFractionDigits: 1 } as const);
  return new Intl.NumberFormat(undefined, { ...style, ...digits }).format(units);
}

/** Returns the smallest units that a person typed as `29.99` or `29,99`; undefined when it is no such amount. */
export function parseMoney(text: string, currency: string): number | undefined {
  const match = /^(\d{1,9})(?:[.,](\d{1,3}))?$/.exec(text.trim());
  const decimals = decimalsOf(currency);
  const fraction = match?.[2] ?? '';
  if (!match || fraction.length > decimals) return undefined;
  return Number(match[1]) * 10 ** decimals + Number(fraction.padEnd(decimals, '0') || 0);
}

/** Returns an amount as a person would type it: 2999 usd is 29.99. */
export function typedMoney(amount: number, currency: string): string {
  const decimals = decimalsOf(currency);
  return (amount / 10 ** decimals).toFixed(decimals);
}

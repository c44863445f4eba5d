import { moneyFormat } from '@billing/contracts/money-format';

/** By currency, since making one takes longer than all else of an invoice. */
const FORMATS = new Map<string, (amount: number) => string>();

/** Formats an amount in the currency's smallest unit in US English: 2999 usd is "$29.99". */
export function formatAmount(amount: number, currency: string): string {
  const format = FORMATS.get(currency) ?? moneyFormat(currency, 'en-US');
  FORMATS.set(currency, format);
  return format(amount);
}

/** Formats a billing cadence: "per month", "every 3 months". */
export function formatCadence(interval: string, count: number): string {
  return count === 1 ? `per ${interval}` : `every ${count} ${interval}s`;
}

const CURRENCIES = new Set(Intl.supportedValuesOf('currency').map(code => code.toLowerCase()));

/** Returns whether a code is a lower-case ISO 4217 code that the runtime supports. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code);
}

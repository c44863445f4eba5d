/** Formats an amount in the currency's smallest unit in US English: 2999 usd is "$29.99". */
export function formatAmount(amount: number, currency: string): string {
  const format = FORMATS.get(currency) ?? newFormat(currency);
  return format(amount);
}

/** By currency, since making one takes longer than all else of an invoice. */
const FORMATS = new Map<string, (amount: number) => string>();

function newFormat(currency: string): (amount: number) => string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  const formatIn = (amount: number) => format.format(amount / 10 ** digits);
  FORMATS.set(currency, formatIn);
  return formatIn;
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

/** Decimals of a currency's smallest unit at the processor. https://docs.stripe.com/currencies#zero-decimal */
const ZERO_DECIMAL = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf'.split(' '));
const THREE_DECIMAL = new Set('bhd jod kwd omr tnd'.split(' '));

export function decimalsOf(currency: string): number {
  if (ZERO_DECIMAL.has(currency)) return 0;
  return THREE_DECIMAL.has(currency) ? 3 : 2;
}

/** Formats an amount in the currency's smallest unit for the reader's locale: 2999 usd is $29.99. */
export function formatMoney(amount: number, currency: string): string {
  const decimals = decimalsOf(currency);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat(undefined, { style: 'currency', currency: currency.toUpperCase(), ...digits }).format(
    amount / 10 ** decimals,
  );
}

/** The same without a fraction and with a short scale, for the axis of a chart. */
export function formatShortMoney(amount: number, currency: string): string {
  const style = { style: 'currency', currency: currency.toUpperCase(), notation: 'compact' } as const;
  const format = new Intl.NumberFormat(undefined, { ...style, minimumFractionDigits: 0, maximumFractionDigits: 1 });
  return format.format(amount / 10 ** decimalsOf(currency));
}

/** Returns the smallest units that a person typed as `29.99` or `29,99`; undefined when it is no such amount. */
export function parseMoney(text: string, currency: string): number | undefined {
  const match = /^(\d{1,9})(?:[.,](\d{1,3}))?$/.exec(text.trim());
  const decimals = decimalsOf(currency);
  const fraction = match?.[2] ?? '';
  if (!match || fraction.length > decimals) return undefined;
  return Number(match[1]) * 10 ** decimals + Number(fraction.padEnd(decimals, '0') || 0);
}

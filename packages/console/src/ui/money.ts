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

/** Formats an amount that may be less than the smallest unit: 0.25 usd is $0.0025. */
export function formatExactMoney(amount: string, currency: string): string {
  const decimals = decimalsOf(currency);
  const fraction = amount.split('.')[1]?.length ?? 0;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals + fraction };
  return new Intl.NumberFormat(undefined, { style: 'currency', currency: currency.toUpperCase(), ...digits }).format(
    Number(amount) / 10 ** decimals,
  );
}

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

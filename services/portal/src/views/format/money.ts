import type { BilledItem } from '@billing/contracts/events/subscriptions';

/** Currencies that the processor counts in whole units. https://docs.stripe.com/currencies#zero-decimal */
const ZERO_DECIMAL = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '));
/** Currencies that the processor counts in thousandths. https://docs.stripe.com/currencies#three-decimal */
const THREE_DECIMAL = new Set('bhd iqd jod kwd lyd omr tnd'.split(' '));
/** Currencies without decimals that the processor still counts in hundredths. https://docs.stripe.com/currencies#special-cases */
const HUNDREDTHS_OF_WHOLE_UNITS = new Set(['isk', 'ugx']);

/** A price in two parts, to be shown one after the other: `$29.99` and ` / month × 3`, `$5.00` and ` once`. */
export interface FormattedPrice {
  readonly amount: string;
  readonly terms: string;
}

/** Returns how many decimals the processor's smallest unit of a currency stands for. */
export function decimalsOf(currency: string): 0 | 2 | 3 {
  if (ZERO_DECIMAL.has(currency)) return 0;
  return THREE_DECIMAL.has(currency) ? 3 : 2;
}

/**
 * Returns an amount in the reader's locale; `amount` counts the currency's smallest unit: 2999 usd is `$29.99`. The
 * decimals are the processor's, because `Intl` uses fewer for some currencies (the Albanian lek, for example).
 */
export function formatMoney(amount: number, currency: string, locale: string): string {
  const code = currency.toLowerCase();
  const decimals = decimalsOf(code);
  const value = amount / 10 ** decimals;
  if (!/^[a-z]{3}$/.test(code)) return `${value.toFixed(decimals)} ${currency}`;
  const shown = HUNDREDTHS_OF_WHOLE_UNITS.has(code) && Number.isInteger(value) ? 0 : decimals;
  const fractions = { minimumFractionDigits: shown, maximumFractionDigits: shown };
  return new Intl.NumberFormat(locale, { style: 'currency', currency: code, ...fractions }).format(value);
}

/** Returns an item's price in the reader's locale. A metered price, or one without a single amount, is `By usage`. */
export function formatPrice(item: BilledItem, locale: string): FormattedPrice {
  if (item.unitAmount === null || item.metered) return { amount: 'By usage', terms: interval(item) };
  const times = item.quantity === 1 ? '' : ` × ${new Intl.NumberFormat(locale).format(item.quantity)}`;
  return { amount: formatMoney(item.unitAmount, item.currency, locale), terms: `${interval(item)}${times}` };
}

function interval({ interval: unit, intervalCount }: BilledItem): string {
  if (unit === null) return ' once';
  const count = intervalCount ?? 1;
  return count === 1 ? ` / ${unit}` : ` every ${count} ${unit}s`;
}

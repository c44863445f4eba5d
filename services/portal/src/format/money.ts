/** Currencies that the processor counts in whole units. https://docs.stripe.com/currencies#zero-decimal */
const WITHOUT_DECIMALS = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '));
/** Currencies that are counted in thousandths. https://docs.stripe.com/currencies#three-decimal */
const THREE_DECIMALS = new Set('bhd iqd jod kwd lyd omr tnd'.split(' '));
/** Currencies without decimals that the processor counts in hundredths all the same. https://docs.stripe.com/currencies#special-cases */
const HUNDREDTHS_OF_WHOLE_UNITS = new Set(['isk', 'ugx']);

/** How many decimals the smallest unit of a currency stands for at the processor: 0, 2 or 3. */
export function decimalsOf(currency: string): 0 | 2 | 3 {
  if (WITHOUT_DECIMALS.has(currency)) return 0;
  return THREE_DECIMALS.has(currency) ? 3 : 2;
}

/**
 * An amount in the currency's smallest unit as the reader's locale writes it: 2999 of usd is `$29.99`. The decimals are
 * the processor's, since the platform's own table takes some currencies (the Albanian lek, say) for coarser ones.
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

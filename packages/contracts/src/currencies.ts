/** ISO 4217 codes in use, lower case. */
export const CURRENCIES: ReadonlySet<string> = new Set(
  (
    'aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd btn bwp byn bzd cad cdf chf ' +
    'clp cny cop crc cup cve czk djf dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gnf gtq gyd hkd hnl htg ' +
    'huf idr ils inr iqd irr isk jmd jod jpy kes kgs khr kmf kpw krw kwd kyd kzt lak lbp lkr lrd lsl lyd mad mdl mga ' +
    'mkd mmk mnt mop mru mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd ' +
    'rub rwf sar sbd scr sdg sek sgd shp sle sos srd ssp stn svc syp szl thb tjs tmt tnd top try ttd twd tzs uah ugx ' +
    'usd uyu uzs ved ves vnd vuv wst xaf xcd xcg xof xpf yer zar zmw zwg'
  ).split(' '),
);

/** Counted in whole units by Stripe: https://docs.stripe.com/currencies#zero-decimal */
const WITHOUT_DECIMALS = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '));
/** Counted in thousandths: https://docs.stripe.com/currencies#three-decimal, and ISO 4217 for those that Stripe lacks. */
const WITH_THREE_DECIMALS = new Set('bhd iqd jod kwd lyd omr tnd'.split(' '));
/** Have no decimals, but Stripe counts them in hundredths: https://docs.stripe.com/currencies#special-cases */
const WHOLE_UNITS_IN_HUNDREDTHS = new Set(['isk', 'ugx']);

/**
 * Returns the power of ten between the unit of a lower-case currency and the smallest unit that Stripe counts. `Intl` has
 * other decimals for some currencies, such as the Ugandan shilling and the Albanian lek.
 */
export function decimalsOf(currency: string): 0 | 2 | 3 {
  if (WITHOUT_DECIMALS.has(currency)) return 0;
  return WITH_THREE_DECIMALS.has(currency) ? 3 : 2;
}

/**
 * Returns a function that formats amounts in the smallest unit of a currency for a locale, by default the reader's: 2999
 * usd is `$29.99`, 50000 ugx `UGX 500`. It shows up to `fractions` decimals of the smallest unit: 0.25 usd is `$0.0025`.
 */
export function amountFormat(currency: string, locale?: string, fractions = 0): (amount: number | string) => string {
  const code = currency.toLowerCase();
  const decimals = decimalsOf(code);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals + fractions };
  const style = WHOLE_UNITS_IN_HUNDREDTHS.has(code)
    ? { ...digits, trailingZeroDisplay: 'stripIfInteger' as const }
    : digits;
  // Intl reads text with an exponent exactly, where a division would round.
  const shift = (amount: number | string) => `${amount}E-${decimals}` as `${number}`;
  if (!/^[a-z]{3}$/.test(code)) {
    const format = new Intl.NumberFormat(locale, style);
    return amount => `${format.format(shift(amount))} ${currency}`;
  }
  const format = new Intl.NumberFormat(locale, { ...style, style: 'currency', currency: code });
  return amount => format.format(shift(amount));
}

// Amounts as the processor counts them, in the smallest unit of a currency. https://docs.stripe.com/currencies

/** Currencies in which the processor charges, somewhere in the world. A subset of the known ISO 4217 codes. */
export const PROCESSOR_CURRENCIES: readonly string[] = (
  'aed afn all amd ang aoa ars aud awg azn bam bbd bdt bhd bif bmd bnd bob brl bsd bwp byn bzd cad cdf chf clp cny cop ' +
  'crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr isk jmd jod ' +
  'jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn ' +
  'nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd shp sle sos srd szl thb tjs ' +
  'tnd top try ttd twd tzs uah ugx usd uyu uzs vnd vuv wst xaf xcd xcg xof xpf yer zar zmw'
).split(' ');

/** https://docs.stripe.com/currencies#zero-decimal, which also lists UGX: the special cases count for it. */
const ZERO_DECIMAL = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '));
/** https://docs.stripe.com/currencies#three-decimal */
const THREE_DECIMAL = new Set('bhd jod kwd omr tnd'.split(' '));
/**
 * Without a fraction, but still counted in hundredths. https://docs.stripe.com/currencies#special-cases
 * HUF and TWD stand there too: only payouts in them have no fraction.
 */
const WHOLE_IN_HUNDREDTHS = new Set(['isk', 'ugx']);

/**
 * Returns how many decimals of a currency the processor's smallest unit stands for, whatever ISO 4217 says: 2 for usd
 * (2999 is 29.99), 0 for jpy (500 is 500), 3 for kwd, and 2 for ugx (500000 is 5,000).
 */
export function decimalsOf(currency: string): 0 | 2 | 3 {
  if (ZERO_DECIMAL.has(currency)) return 0;
  return THREE_DECIMAL.has(currency) ? 3 : 2;
}

/** Returns whether a currency has no fraction: nobody pays 0.50 jpy or ugx. */
export const isWholeCurrency = (currency: string): boolean =>
  ZERO_DECIMAL.has(currency) || WHOLE_IN_HUNDREDTHS.has(currency);

/** Returns the number of smallest units of which each charged amount is a multiple: 100 for ugx, 10 for kwd, mostly 1. */
export function chargeStepOf(currency: string): 1 | 10 | 100 {
  if (WHOLE_IN_HUNDREDTHS.has(currency)) return 100;
  return THREE_DECIMAL.has(currency) ? 10 : 1;
}

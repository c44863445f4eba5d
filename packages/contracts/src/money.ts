import { z } from 'zod';

/** ISO 4217 codes in use, lower case. */
const CURRENCIES = new Set(
  (
    'aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd btn bwp byn bzd cad cdf chf ' +
    'clp cny cop crc cup cve czk djf dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gnf gtq gyd hkd hnl htg ' +
    'huf idr ils inr iqd irr isk jmd jod jpy kes kgs khr kmf kpw krw kwd kyd kzt lak lbp lkr lrd lsl lyd mad mdl mga ' +
    'mkd mmk mnt mop mru mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd ' +
    'rub rwf sar sbd scr sdg sek sgd shp sle sos srd ssp stn svc syp szl thb tjs tmt tnd top try ttd twd tzs uah ugx ' +
    'usd uyu uzs ved ves vnd vuv wst xaf xcd xcg xof xpf yer zar zmw zwg'
  ).split(' '),
);

/** The currency of a resource: not validated again. */
export const storedCurrency = z
  .string()
  .meta({ description: 'ISO 4217, lower case, for example `usd`.', example: 'usd' });

/** A three-letter ISO 4217 currency code, lower case. */
export const currency = storedCurrency.refine(
  code => CURRENCIES.has(code),
  'Expected a lower-case ISO 4217 currency code, for example usd.',
);

const MAX_CURRENCIES = 50;

/** Amounts in other currencies than that of the amount beside them, by currency. */
export const inCurrencies = <Amount extends z.ZodType>(amount: Amount) =>
  z
    .record(currency, amount)
    .refine(it => Object.keys(it).length <= MAX_CURRENCIES, `Expected at most ${MAX_CURRENCIES} currencies.`);

/** The largest amount that the processor accepts: 999,999.99 in a currency with two decimals. */
export const MAX_AMOUNT = 99_999_999;

/** How amounts are described. */
export const AMOUNT =
  'In the currency’s smallest unit at the payment processor: 2999 is 29.99 USD, 500 is 500 JPY, 500000 is 5,000 UGX.';

/** An amount in the currency's smallest unit (cents), a whole number from 0 to 99,999,999. */
export const unitAmount = z.int().min(0).max(MAX_AMOUNT).describe(AMOUNT);

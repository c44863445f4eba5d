import { z } from 'zod';
import { CURRENCIES } from './currencies.ts';

/** The currency of a resource: not validated again. */
export const storedCurrency = z
  .string()
  .meta({ description: 'ISO 4217, lower case, for example `usd`.', example: 'usd' });

/** A three-letter ISO 4217 currency code, lower case. */
export const currency = storedCurrency.refine(
  code => CURRENCIES.has(code),
  'Expected a lower-case ISO 4217 currency code, for example usd.',
);

/** The largest amount that the processor accepts: 999,999.99 in a currency with two decimals. */
export const MAX_AMOUNT = 99_999_999;

/** How amounts are described. */
export const AMOUNT =
  'In the smallest unit that Stripe counts: 2999 is 29.99 USD, 2999 JPY or 2.999 KWD; ISK and UGX in hundredths.';

/** An amount in the currency's smallest unit (cents), a whole number from 0 to 99,999,999. */
export const unitAmount = z.int().min(0).max(MAX_AMOUNT).describe(AMOUNT);

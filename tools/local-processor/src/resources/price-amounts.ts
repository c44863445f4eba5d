import { z } from 'zod';
import { invalidRequest } from '../api/errors.ts';
import { choice, integer, reject, text } from '../api/parameters.ts';
import { isCurrency } from '../domain/money.ts';
import { shortestDecimal, wholeAmount } from '../domain/price-amount.ts';
import type { CurrencyOption, PriceTier } from '../objects/stored.ts';

/** The largest amount of a price. */
export const MAX_AMOUNT = 99_999_999;

/** A currency code; Stripe accepts it in any case and stores it in lower case. */
export const currency = text(16).transform((value, context) => {
  const code = value.toLowerCase();
  if (!isCurrency(code))
    return reject(context, { message: `Invalid currency: ${value}. It must be an ISO 4217 code.` });
  return code;
});

export const taxBehavior = choice('exclusive', 'inclusive', 'unspecified');

const amount = integer(0, MAX_AMOUNT);

/** A decimal amount with at most 12 places, which may be fractions of a cent. */
const decimalAmount = text().transform((value, context) => {
  if (!/^\d+(\.\d{1,12})?$/.test(value) || Number(value) > MAX_AMOUNT)
    return reject(context, { code: 'parameter_invalid_string', message: `Invalid decimal: ${value}` });
  return shortestDecimal(value);
});

const tiers = z
  .array(
    z.strictObject({
      flat_amount: amount.optional(),
      flat_amount_decimal: decimalAmount.optional(),
      unit_amount: amount.optional(),
      unit_amount_decimal: decimalAmount.optional(),
      up_to: z.union([z.literal('inf').transform(() => null), integer(1)]),
    }),
  )
  .min(1);

/** The parameters of what a price costs in its own currency. */
export const ownAmount = {
  tax_behavior: taxBehavior.optional(),
  tiers: tiers.optional(),
  unit_amount: amount.optional(),
  unit_amount_decimal: decimalAmount.optional(),
};

/** The parameters of what a price costs in other currencies. */
export const currencyOptions = z.record(currency, z.strictObject(ownAmount));

interface GivenAmount {
  tax_behavior?: 'exclusive' | 'inclusive' | 'unspecified' | undefined;
  tiers?: z.output<typeof tiers> | undefined;
  unit_amount?: number | undefined;
  unit_amount_decimal?: string | undefined;
}

/**
 * Returns what a price costs in one currency. `path` is the name of the parameter that contains it, or empty.
 * @throws ApiError 400 when there is not exactly one amount, or the tiers do not cover all quantities
 */
export function currencyOption(given: GivenAmount, isTiered: boolean, path = ''): CurrencyOption {
  const name = (param: string) => (path === '' ? param : `${path}[${param}]`);
  const rest = { custom_unit_amount: null, tax_behavior: given.tax_behavior ?? 'unspecified' } as const;
  if (isTiered) {
    if (given.unit_amount !== undefined || given.unit_amount_decimal !== undefined)
      throw invalidRequest('A tiered price has amounts only in its tiers.', name('unit_amount'));
    return { ...rest, tiers: tiersOf(given.tiers, name('tiers')), unit_amount: null, unit_amount_decimal: null };
  }
  if (given.tiers) throw invalidRequest('`tiers` can only be set when `billing_scheme` is `tiered`.', name('tiers'));
  const decimal = decimalOf(given, 'unit_amount', name);
  if (decimal === null)
    throw invalidRequest(
      'Prices require an `unit_amount` or `unit_amount_decimal` parameter to be set.',
      name('unit_amount'),
      'parameter_missing',
    );
  return { ...rest, tiers: null, unit_amount: wholeAmount(decimal), unit_amount_decimal: decimal };
}

function tiersOf(given: z.output<typeof tiers> | undefined, param: string): PriceTier[] {
  if (!given) throw invalidRequest(`Missing required param: ${param}.`, param, 'parameter_missing');
  const bounds = given.map(({ up_to: most }) => most);
  const ascending = bounds.every((most, index) => index === 0 || (most ?? Infinity) > (bounds[index - 1] ?? Infinity));
  if (!ascending || bounds.at(-1) !== null)
    throw invalidRequest('`tiers` must ascend by `up_to`, and the last one must have `up_to` = `inf`.', param);
  return given.map((tier, index) => {
    const name = (field: string) => `${param}[${index}][${field}]`;
    const unit = decimalOf(tier, 'unit_amount', name);
    const flat = decimalOf(tier, 'flat_amount', name);
    if (unit === null && flat === null)
      throw invalidRequest('Each tier needs a `unit_amount` or a `flat_amount`.', `${param}[${index}]`);
    return {
      flat_amount: wholeAmount(flat),
      flat_amount_decimal: flat,
      unit_amount: wholeAmount(unit),
      unit_amount_decimal: unit,
      up_to: tier.up_to,
    };
  });
}

function decimalOf<Field extends 'unit_amount' | 'flat_amount'>(
  given: { [Name in Field]?: number | undefined } & { [Name in `${Field}_decimal`]?: string | undefined },
  field: Field,
  name: (param: string) => string,
): string | null {
  const whole: number | undefined = given[field];
  const decimal: string | undefined = given[`${field}_decimal`];
  if (whole !== undefined && decimal !== undefined)
    throw invalidRequest(`You may only specify one of these parameters: ${field}, ${field}_decimal.`, name(field));
  return decimal ?? (whole === undefined ? null : String(whole));
}

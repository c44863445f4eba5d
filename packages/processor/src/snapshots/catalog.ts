import { INTERVALS, TAX_BEHAVIORS, type BillingScheme, type PriceType } from '@billing/contracts/resources/price';
import type { ProductTextChanges } from '@billing/contracts/resources/product';
import { parseObject, type Fields } from './fields.ts';
import {
  decimal,
  flag,
  knownWordOf,
  longNormalText,
  normalText,
  number,
  positiveNumber,
  reference,
  shortText,
  unixTime,
  wholeNumber,
  wordOf,
} from './values.ts';

/** Parses a product of any API version. */
export const readProduct = (raw: unknown) =>
  parseObject(raw, product => ({
    id: product.required('id', shortText),
    name: product.required('name', normalText),
    description: product.optional('description', longNormalText) || null,
    unitLabel: product.optional('unit_label', normalText) || null,
    taxCode: product.optional('tax_code', reference),
    isActive: product.required('active', flag),
    metadata: product.metadata(),
    createdAt: product.required('created', unixTime),
    defaultPriceId: product.optional('default_price', reference),
  }));

/** A product of the processor. */
export type ProductSnapshot = Readonly<ReturnType<typeof readProduct>>;

/** Returns texts of a product under the processor's names, and `none` for each that it is to lack. */
export function toProductParams({ name, description, unitLabel, taxCode }: ProductTextChanges, none: '' | undefined) {
  const sent = (value: string | null | undefined) => (value === null ? none : value);
  return { name, description: sent(description), unit_label: sent(unitLabel), tax_code: sent(taxCode) };
}

/** The amount of a price for one unit, in one currency. */
export interface PriceAmount {
  /** In the currency's smallest unit; null where there is no single whole amount (tiers, decimals). */
  readonly unitAmount: number | null;
  /** The same as decimal text, which may have fractions of the smallest unit; null for tiers. */
  readonly unitAmountDecimal: string | null;
}

const interval = wordOf(INTERVALS);
const round = wordOf(['up', 'down']);
const taxBehavior = knownWordOf(TAX_BEHAVIORS);

/** Parses a price of any API version. */
export const readPrice = (raw: unknown) => parseObject(raw, parsePrice);

/** Parses a price that is part of another object. */
export function parsePrice(price: Fields) {
  const recurring = price.optionalObject('recurring', it => ({
    interval: it.required('interval', interval),
    intervalCount: it.required('interval_count', number),
    metered: it.optional('usage_type', shortText) === 'metered',
    meterId: it.optional('meter', reference),
  }));
  const billingScheme: BillingScheme = price.optional('billing_scheme', shortText) === 'tiered' ? 'tiered' : 'per_unit';
  const type: PriceType = recurring ? 'recurring' : 'one_time';
  return {
    id: price.required('id', shortText),
    productId: price.required('product', reference),
    ...parseAmount(price),
    currency: price.required('currency', shortText),
    /** The amounts in all currencies; null when the object does not contain them. */
    currencyOptions: price.optionalMap('currency_options', parseAmount),
    billingScheme,
    /** How a quantity becomes billed units: divided and rounded to whole ones; null when each unit is billed. */
    transformQuantity: price.optionalObject('transform_quantity', it => ({
      divideBy: it.required('divide_by', positiveNumber),
      round: it.required('round', round),
    })),
    type,
    interval: recurring?.interval ?? null,
    intervalCount: recurring?.intervalCount ?? null,
    metered: recurring?.metered ?? false,
    /** The meter that counts what it bills. */
    meterId: recurring?.meterId ?? null,
    taxBehavior: price.optional('tax_behavior', taxBehavior) ?? 'unspecified',
    isActive: price.required('active', flag),
    metadata: price.metadata(),
    createdAt: price.required('created', unixTime),
  };
}

/** A price of the processor, with its amount in its default currency. */
export type PriceSnapshot = Readonly<ReturnType<typeof parsePrice>>;

/** API versions from before decimal amounts have whole ones only. */
function parseAmount(price: Fields): PriceAmount {
  const unitAmount = price.optional('unit_amount', wholeNumber);
  const unitAmountDecimal = price.optional('unit_amount_decimal', decimal);
  return { unitAmount, unitAmountDecimal: unitAmountDecimal ?? (unitAmount === null ? null : String(unitAmount)) };
}

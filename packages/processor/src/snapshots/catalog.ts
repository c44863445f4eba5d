import { INTERVALS, type BillingScheme, type Interval, type PriceType } from '@billing/contracts/resources/price';
import {
  decimal,
  flag,
  number,
  parseObject,
  positiveNumber,
  reference,
  text,
  unixTime,
  wholeNumber,
  wordOf,
  type Fields,
} from './fields.ts';

/** A product of the processor. */
export interface ProductSnapshot {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly isActive: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly defaultPriceId: string | null;
}

/** Parses a product of any API version. */
export const readProduct = (raw: unknown): ProductSnapshot =>
  parseObject(raw, product => ({
    id: product.required('id', text),
    name: product.required('name', text),
    description: product.optional('description', text),
    isActive: product.required('active', flag),
    metadata: product.metadata(),
    createdAt: product.required('created', unixTime),
    defaultPriceId: product.optional('default_price', reference),
  }));

/** The amount of a price for one unit, in one currency. */
export interface PriceAmount {
  /** In the currency's smallest unit; null where there is no single whole amount (tiers, decimals). */
  readonly unitAmount: number | null;
  /** The same as decimal text, which may have fractions of the smallest unit; null for tiers. */
  readonly unitAmountDecimal: string | null;
}

/** How the processor turns a quantity into billed units: divided and rounded to whole ones. */
export interface TransformQuantity {
  readonly divideBy: number;
  readonly round: 'up' | 'down';
}

/** A price of the processor, with its amount in its default currency. */
export interface PriceSnapshot extends PriceAmount {
  readonly id: string;
  readonly productId: string;
  readonly currency: string;
  /** The amounts in all currencies; null when the object does not contain them. */
  readonly currencyOptions: ReadonlyMap<string, PriceAmount> | null;
  readonly billingScheme: BillingScheme;
  /** Null when each unit is billed. */
  readonly transformQuantity: TransformQuantity | null;
  readonly type: PriceType;
  readonly interval: Interval | null;
  readonly intervalCount: number | null;
  readonly metered: boolean;
  readonly isActive: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

const interval = wordOf(INTERVALS);
const round = wordOf(['up', 'down']);

/** Parses a price of any API version. */
export const readPrice = (raw: unknown): PriceSnapshot => parseObject(raw, parsePrice);

/** Parses a price that is part of another object. */
export function parsePrice(price: Fields): PriceSnapshot {
  const recurring = price.optionalObject('recurring', it => ({
    interval: it.required('interval', interval),
    intervalCount: it.required('interval_count', number),
    metered: it.optional('usage_type', text) === 'metered',
  }));
  return {
    id: price.required('id', text),
    productId: price.required('product', reference),
    ...parseAmount(price),
    currency: price.required('currency', text),
    currencyOptions: price.optionalMap('currency_options', parseAmount),
    billingScheme: price.optional('billing_scheme', text) === 'tiered' ? 'tiered' : 'per_unit',
    transformQuantity: price.optionalObject('transform_quantity', it => ({
      divideBy: it.required('divide_by', positiveNumber),
      round: it.required('round', round),
    })),
    type: recurring ? 'recurring' : 'one_time',
    interval: recurring?.interval ?? null,
    intervalCount: recurring?.intervalCount ?? null,
    metered: recurring?.metered ?? false,
    isActive: price.required('active', flag),
    metadata: price.metadata(),
    createdAt: price.required('created', unixTime),
  };
}

/** API versions from before decimal amounts have whole ones only. */
function parseAmount(price: Fields): PriceAmount {
  const unitAmount = price.optional('unit_amount', wholeNumber);
  const unitAmountDecimal = price.optional('unit_amount_decimal', decimal);
  return { unitAmount, unitAmountDecimal: unitAmountDecimal ?? (unitAmount === null ? null : String(unitAmount)) };
}

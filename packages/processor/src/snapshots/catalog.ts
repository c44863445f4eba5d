import { INTERVALS, type Interval, type PriceType } from '@billing/contracts/resources/price';
import { flag, number, parseObject, reference, text, unixTime, wholeNumber, wordOf, type Fields } from './fields.ts';

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

/** A price of the processor; `unitAmount` is null where there is no single whole amount (tiers, decimals). */
export interface PriceSnapshot {
  readonly id: string;
  readonly productId: string;
  readonly unitAmount: number | null;
  readonly currency: string;
  readonly type: PriceType;
  readonly interval: Interval | null;
  readonly intervalCount: number | null;
  readonly metered: boolean;
  readonly isActive: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

const interval = wordOf(INTERVALS);

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
    unitAmount: price.optional('unit_amount', wholeNumber),
    currency: price.required('currency', text),
    type: recurring ? 'recurring' : 'one_time',
    interval: recurring?.interval ?? null,
    intervalCount: recurring?.intervalCount ?? null,
    metered: recurring?.metered ?? false,
    isActive: price.required('active', flag),
    metadata: price.metadata(),
    createdAt: price.required('created', unixTime),
  };
}

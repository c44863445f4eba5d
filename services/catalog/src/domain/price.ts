import { priceOf, priceState, type PriceState } from '@billing/contracts/events/catalog';
import { fieldsOf, pick } from '@billing/contracts/fields-of';
import { unprocessable, type Problem } from '@billing/contracts/problem';
import type { Interval, Price, PriceType, TaxBehavior } from '@billing/contracts/resources/price';
import type { PriceSnapshot } from '@billing/processor/port';
import { withoutRouting } from '@billing/processor/metadata';

/** The fields of a price that an event may change; its terms never do. */
export interface PriceContent {
  readonly taxBehavior: TaxBehavior;
  readonly isActive: boolean;
  /** Without routing keys. */
  readonly metadata: Record<string, string>;
}

const TERMS = [
  'unitAmount',
  'unitAmountDecimal',
  'billingScheme',
  'metered',
  'currency',
  'type',
  'interval',
  'intervalCount',
] as const satisfies readonly (keyof PriceState)[];

/** The fields of a price that are fixed when it is created. */
export type PriceTerms = Readonly<Pick<PriceState, (typeof TERMS)[number]>>;

/** Returns the terms of a new price; a recurring one is billed every interval unless `intervalCount` is given. */
export function newTerms(requested: {
  unitAmount: number;
  currency: string;
  type: PriceType;
  interval?: Interval | undefined;
  intervalCount?: number | undefined;
}): Pick<PriceTerms, 'currency' | 'type' | 'interval' | 'intervalCount'> & { unitAmount: number } {
  const { unitAmount, currency, type, interval = null, intervalCount = 1 } = requested;
  return type === 'recurring'
    ? { unitAmount, currency, type, interval, intervalCount }
    : { unitAmount, currency, type, interval: null, intervalCount: null };
}

/** Returns the terms of a price. */
export const toTerms = (price: PriceTerms): PriceTerms => pick(price, TERMS);

/** Returns what may change of the processor's price, as we store it. */
export const toContent = ({ taxBehavior, isActive, metadata }: PriceSnapshot): PriceContent => ({
  taxBehavior,
  isActive,
  metadata: withoutRouting(metadata),
});

/** 422: an archived product gets no new prices. */
export function productInactive(): Problem {
  return unprocessable('product_inactive', 'The product is archived; activate it before you add a price to it.');
}

/** Returns whether a price has a tax behavior that keeps it from getting another one. https://docs.stripe.com/api/prices/update */
export const keepsTaxBehavior = (current: TaxBehavior, wanted: TaxBehavior | undefined): boolean =>
  wanted !== undefined && current !== 'unspecified' && current !== wanted;

/** 422: a tax behavior that is set never changes. */
export const taxBehaviorSet = (): Problem =>
  unprocessable(
    'tax_behavior_set',
    'The tax behavior of the price is set already, and never changes; create another price.',
  );

interface PriceRecord extends Omit<PriceState, 'processorPriceId'> {
  readonly processorId: string;
}

/** Returns a price as events and RPC replies carry it. */
export const toState = ({ processorId: processorPriceId, ...price }: PriceRecord): PriceState =>
  fieldsOf(priceState, { ...price, processorPriceId });

/** Returns a price as callers see it. */
export const toResource = (price: PriceRecord): Price => priceOf(toState(price));

import { priceOf, priceState, type PriceState } from '@billing/contracts/events/catalog';
import { fieldsOf, pick } from '@billing/contracts/fields-of';
import { invalid, unprocessable, type Problem } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import {
  OTHER_CURRENCIES,
  type CurrencyOptions,
  type Interval,
  type Price,
  type PriceType,
  type TaxBehavior,
} from '@billing/contracts/resources/price';
import type { PriceSnapshot } from '@billing/processor/port';
import { withoutKey } from '@billing/processor/metadata';

/** The fields of a price that an event may change; its terms never do. */
export interface PriceContent {
  readonly key: string | null;
  readonly taxBehavior: TaxBehavior;
  readonly isActive: boolean;
  /** Without the keys that this service sets. */
  readonly metadata: Record<string, string>;
  /** What it costs in other currencies than its own, which can be added to; events do not contain it. */
  readonly currencyOptions?: CurrencyOptions;
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

/** The fields of a price that are fixed when it is created; the processor's has the id of its meter only. */
export type PriceTerms = Readonly<Pick<PriceState, (typeof TERMS)[number]>>;

/** Returns the terms of a new price; a recurring one is billed every interval unless `intervalCount` is given. */
export function newTerms(requested: {
  unitAmount: number;
  currency: string;
  type: PriceType;
  interval?: Interval | undefined;
  intervalCount?: number | undefined;
  meter?: string | undefined;
}): Pick<PriceTerms, 'currency' | 'type' | 'interval' | 'intervalCount'> & {
  readonly unitAmount: number;
  readonly meter: string | null;
} {
  const { unitAmount, currency, type, interval = null, intervalCount = 1, meter = null } = requested;
  return type === 'recurring'
    ? { unitAmount, currency, type, interval, intervalCount, meter }
    : { unitAmount, currency, type, interval: null, intervalCount: null, meter: null };
}

/** Returns the terms of a price. */
export const toTerms = (price: PriceTerms): PriceTerms => pick(price, TERMS);

/** Returns what may change of the processor's price, as we store it. */
export const toContent = ({ taxBehavior, isActive, metadata, ...amounts }: PriceSnapshot): PriceContent => ({
  taxBehavior,
  isActive,
  ...withoutKey(metadata),
  ...otherCurrencies(amounts),
});

/** Returns the amounts without that in the own currency; nothing where the object did not contain them. */
function otherCurrencies({
  currency: own,
  currencyOptions,
}: Pick<PriceSnapshot, 'currency' | 'currencyOptions'>): Pick<PriceContent, 'currencyOptions'> {
  if (!currencyOptions) return {};
  const others = [...currencyOptions].filter(([currency]) => currency !== own);
  return {
    currencyOptions: Object.fromEntries(others.map(([currency, { unitAmount }]) => [currency, { unitAmount }])),
  };
}

/** Amounts to add to a price, by currency. */
export type AddedAmounts = Readonly<Record<string, { readonly unitAmount: number }>>;

/**
 * Checks that amounts can be added to a price. One that it has already may be added again, and stays.
 * @throws Problem 400 for an amount in the own currency; 422 `currency_amount_set` for another one than it has in a currency
 */
export function requireAddable(
  { currency, currencyOptions = {} }: { readonly currency: string; readonly currencyOptions?: CurrencyOptions },
  added: AddedAmounts | undefined,
): void {
  for (const [code, { unitAmount }] of Object.entries(added ?? {})) {
    if (code === currency) throw invalid([{ path: 'currencyOptions', message: OTHER_CURRENCIES }]);
    const current = currencyOptions[code];
    if (current && current.unitAmount !== unitAmount) throw currencyAmountSet(code);
  }
}

function currencyAmountSet(currency: string): Problem {
  const details = { currency } satisfies ProblemDetails['currency_amount_set'];
  const message = `The price has another amount in ${currency} already, and it never changes; create another price.`;
  return unprocessable('currency_amount_set', message, details);
}

/** Returns whether a price has amounts that were to be added. */
export const hasAdded = (
  { currencyOptions = {} }: Partial<Omit<PriceContent, 'key' | 'isActive'>>,
  added: AddedAmounts | undefined,
): boolean =>
  Object.entries(added ?? {}).every(([code, { unitAmount }]) => currencyOptions[code]?.unitAmount === unitAmount);

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

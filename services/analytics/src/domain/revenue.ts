import type { BilledItem } from '@billing/contracts/events/subscriptions';
import type { Interval } from '@billing/contracts/resources/price';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';

/** How many of each interval make a year: 12 months, 1 year, 52 weeks, 365 days. */
const PER_YEAR: Readonly<Record<Interval, bigint>> = { month: 12n, year: 1n, week: 52n, day: 365n };

/** An exact part of the monthly revenue in one currency: `numerator` ÷ (12 × `intervalCount`) minor units. */
export interface RevenueTerm {
  readonly currency: string;
  readonly intervalCount: number;
  readonly numerator: bigint;
}

/** The part of an item that decides its revenue. */
export type PricedItem = Omit<BilledItem, 'processorPriceId' | 'priceId'>;

/** The part of a subscription that decides its revenue. */
interface PricedSubscription {
  readonly status: SubscriptionStatus;
  readonly items: readonly PricedItem[];
}

/**
 * The monthly revenue of an item at face value: amount × quantity × intervals per year ÷ (12 × interval count).
 * Undefined for one-time and metered prices and for prices without a single amount.
 */
export function itemRevenue(item: PricedItem): RevenueTerm | undefined {
  const { unitAmount, interval, intervalCount, currency, quantity, metered } = item;
  if (unitAmount === null || interval === null || metered) return undefined;
  const numerator = BigInt(unitAmount) * BigInt(quantity) * PER_YEAR[interval];
  return { currency, intervalCount: intervalCount ?? 1, numerator };
}

/** The monthly revenue of a subscription: a term for each currency and interval count; none unless active or trialing. */
export function subscriptionRevenue({ status, items }: PricedSubscription): RevenueTerm[] {
  if (status !== 'active' && status !== 'trialing') return [];
  return combineTerms(items.flatMap(item => itemRevenue(item) ?? []));
}

/** The same revenue with one term for each currency and interval count, sorted by them, without zero terms. */
export function combineTerms(terms: Iterable<RevenueTerm>): RevenueTerm[] {
  const sums = new Map<string, RevenueTerm>();
  for (const term of terms) {
    const key = `${term.currency}:${term.intervalCount}`;
    sums.set(key, { ...term, numerator: (sums.get(key)?.numerator ?? 0n) + term.numerator });
  }
  const inOrder = (one: RevenueTerm, other: RevenueTerm) =>
    one.currency === other.currency ? one.intervalCount - other.intervalCount : one.currency < other.currency ? -1 : 1;
  return [...sums.values()].filter(({ numerator }) => numerator !== 0n).toSorted(inOrder);
}

/** The same revenue with the opposite sign. */
export const negateTerms = (terms: readonly RevenueTerm[]): RevenueTerm[] =>
  terms.map(({ currency, intervalCount, numerator }) => ({ currency, intervalCount, numerator: -numerator }));

/** An exact number; the denominator is positive. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The exact sum of terms of one currency, in minor units a month. */
export function sumTerms(terms: Iterable<RevenueTerm>): Fraction {
  let [sum, over] = [0n, 1n];
  for (const { numerator, intervalCount } of terms) {
    const denominator = 12n * BigInt(intervalCount);
    const common = leastCommonMultiple(over, denominator);
    sum = sum * (common / over) + numerator * (common / denominator);
    over = common;
  }
  return { numerator: sum, denominator: over };
}

/** The sum of terms of one currency in minor units a month, rounded once, half up. */
export function monthlyRevenue(terms: Iterable<RevenueTerm>): number {
  const { numerator, denominator } = sumTerms(terms);
  return toSafeNumber(roundHalfUp(numerator, denominator));
}

/** The whole number nearest to `numerator` ÷ `denominator`; halves round up. The denominator must be positive. */
export function roundHalfUp(numerator: bigint, denominator: bigint): bigint {
  const doubled = 2n * numerator + denominator;
  const quotient = doubled / (2n * denominator);
  return doubled < 0n && doubled % (2n * denominator) !== 0n ? quotient - 1n : quotient;
}

/** Limits a sum to the integers that JSON represents exactly, so that one huge sum does not fail the whole response. */
function toSafeNumber(value: bigint): number {
  const limit = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(value > limit ? limit : value < -limit ? -limit : value);
}

function leastCommonMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return (a / x) * b;
}

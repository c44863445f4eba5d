import type { BilledItem, SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { Interval } from '@billing/contracts/resources/price';

/** Twelfths of a month's amount: 12 months, 1 year, 52 weeks, 365 days make a year. */
const TWELFTHS: Readonly<Record<Interval, bigint>> = { month: 12n, year: 1n, week: 52n, day: 365n };

/** An exact part of the monthly revenue in one currency: `numerator` ÷ (12 × `intervalCount`) minor units. */
export interface RevenueTerm {
  readonly currency: string;
  readonly intervalCount: number;
  readonly numerator: bigint;
}

/**
 * What an item is worth a month at face value: amount × quantity × factor ÷ interval count. Undefined for what has no
 * face value: one-time and metered prices, and prices without a single amount.
 */
export function revenueOf(item: BilledItem): RevenueTerm | undefined {
  const { unitAmount, interval, intervalCount, currency, quantity, metered } = item;
  if (unitAmount === null || interval === null || metered) return undefined;
  const numerator = BigInt(unitAmount) * BigInt(quantity) * TWELFTHS[interval];
  return { currency, intervalCount: intervalCount ?? 1, numerator };
}

/** What a subscription is worth a month while active or trialing, else nothing: a term for each currency and interval count. */
export function worthOf({ status, items }: Pick<SubscriptionState, 'status' | 'items'>): RevenueTerm[] {
  if (status !== 'active' && status !== 'trialing') return [];
  return joined(items.flatMap(item => revenueOf(item) ?? []));
}

/** The same revenue with one term for each currency and interval count, in their order, and none of zero. */
export function joined(terms: Iterable<RevenueTerm>): RevenueTerm[] {
  const sums = new Map<string, RevenueTerm>();
  for (const term of terms) {
    const key = `${term.currency}:${term.intervalCount}`;
    sums.set(key, { ...term, numerator: (sums.get(key)?.numerator ?? 0n) + term.numerator });
  }
  const inOrder = (one: RevenueTerm, other: RevenueTerm) =>
    one.currency === other.currency ? one.intervalCount - other.intervalCount : one.currency < other.currency ? -1 : 1;
  return [...sums.values()].filter(({ numerator }) => numerator !== 0n).toSorted(inOrder);
}

/** A number told exactly; the denominator is above zero. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Adds terms of one currency exactly. Answers minor units a month. */
export function sumOfTerms(terms: Iterable<RevenueTerm>): Fraction {
  let [sum, over] = [0n, 1n];
  for (const { numerator, intervalCount } of terms) {
    const denominator = 12n * BigInt(intervalCount);
    const common = leastCommonMultiple(over, denominator);
    sum = sum * (common / over) + numerator * (common / denominator);
    over = common;
  }
  return { numerator: sum, denominator: over };
}

/** Adds terms of one currency exactly and rounds once, half up. Answers minor units a month. */
export function monthlyRevenue(terms: Iterable<RevenueTerm>): number {
  const { numerator, denominator } = sumOfTerms(terms);
  return toSafeNumber(roundHalfUp(numerator, denominator));
}

/** The whole number nearest to `numerator` ÷ `denominator` (which is above zero); halves go up. */
export function roundHalfUp(numerator: bigint, denominator: bigint): bigint {
  const doubled = 2n * numerator + denominator;
  const quotient = doubled / (2n * denominator);
  return doubled < 0n && doubled % (2n * denominator) !== 0n ? quotient - 1n : quotient;
}

/** Sums beyond what a JSON number tells exactly stay at its edge rather than fail the whole answer. */
function toSafeNumber(value: bigint): number {
  const edge = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(value > edge ? edge : value < -edge ? -edge : value);
}

function leastCommonMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return (a / x) * b;
}

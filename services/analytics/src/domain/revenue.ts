import {
  itemRevenue,
  sumTerms,
  type Fraction,
  type PricedItem,
  type RevenueTerm,
} from '@billing/contracts/item-revenue';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';

/** Returns whether a subscription in this status counts as revenue. */
export const isLive = (status: SubscriptionStatus): status is 'active' | 'trialing' =>
  status === 'active' || status === 'trialing';

/** The currency of a subscription is that of its first item; null without items. */
export const currencyOf = (items: readonly PricedItem[]): string | null => items[0]?.currency ?? null;

/** The face value of a subscription in its own currency: a term for each divisor. */
export function faceValue(items: readonly PricedItem[]): RevenueTerm[] {
  const currency = currencyOf(items);
  return combineTerms(items.flatMap(item => (item.currency === currency ? (itemRevenue(item) ?? []) : [])));
}

/** The same revenue with one term for each currency and divisor, sorted by them, without zero terms. */
export function combineTerms(terms: Iterable<RevenueTerm>): RevenueTerm[] {
  const sums = new Map<string, RevenueTerm>();
  for (const term of terms) {
    const key = `${term.currency}:${term.divisor}`;
    sums.set(key, { ...term, numerator: (sums.get(key)?.numerator ?? 0n) + term.numerator });
  }
  const inOrder = (one: RevenueTerm, other: RevenueTerm) =>
    one.currency === other.currency ? one.divisor - other.divisor : one.currency < other.currency ? -1 : 1;
  return [...sums.values()].filter(({ numerator }) => numerator !== 0n).toSorted(inOrder);
}

/** The same revenue with the opposite sign. */
export const negateTerms = (terms: readonly RevenueTerm[]): RevenueTerm[] =>
  terms.map(({ currency, divisor, numerator }) => ({ currency, divisor, numerator: -numerator }));

/** Rounds an amount to whole minor units, half up. */
export const toMinorUnits = ({ numerator, denominator }: Fraction): number =>
  toSafeNumber(roundHalfUp(numerator, denominator));

/** The sum of terms of one currency in minor units a month, rounded once, half up. */
export const monthlyRevenue = (terms: readonly RevenueTerm[]): number => toMinorUnits(sumTerms(terms));

/** Twelve times the sum of terms of one currency, in minor units a year, rounded once, half up. */
export function yearlyRevenue(terms: readonly RevenueTerm[]): number {
  const { numerator, denominator } = sumTerms(terms);
  return toSafeNumber(roundHalfUp(12n * numerator, denominator));
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

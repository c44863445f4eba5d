import type { z } from 'zod';
import type { pricedItem } from './events/subscriptions.ts';
import type { Interval } from './resources/price.ts';

/** The part of an item that decides its revenue. */
export type PricedItem = z.output<typeof pricedItem>;

/** How many of each interval make a year: 12 months, 1 year, 52 weeks, 365 days. */
export const INTERVALS_PER_YEAR: Readonly<Record<Interval, bigint>> = { month: 12n, year: 1n, week: 52n, day: 365n };

/** An exact part of the monthly revenue in one currency: `numerator` ÷ (12 × `divisor`) minor units. */
export interface RevenueTerm {
  readonly currency: string;
  readonly divisor: number;
  readonly numerator: bigint;
}

/** Why an item adds no revenue: it has tiers (or no single amount for another reason), or is billed by usage. */
export const UNPRICED_REASONS = ['tiered', 'metered'] as const;
export type UnpricedReason = (typeof UNPRICED_REASONS)[number];

/** Returns why a recurring item adds no revenue; null when it adds some, or is billed once only. */
export function unpricedReason(item: PricedItem): UnpricedReason | null {
  if (item.interval === null) return null;
  if (item.billingScheme === 'tiered') return 'tiered';
  if (item.metered) return 'metered';
  return amountOf(item) === null ? 'tiered' : null;
}

/**
 * The monthly revenue of an item at face value: amount × billed units × intervals per year ÷ (12 × interval count).
 * Undefined for one-time prices and for those that have an `unpricedReason`.
 */
export function itemRevenue(item: PricedItem): RevenueTerm | undefined {
  const { interval, intervalCount, currency } = item;
  const amount = amountOf(item);
  if (interval === null || amount === null || unpricedReason(item) !== null) return undefined;
  const numerator = amount.digits * billedUnits(item) * INTERVALS_PER_YEAR[interval];
  return { currency, divisor: (intervalCount ?? 1) * amount.scale, numerator };
}

/** The amount of one unit, exactly: `digits` ÷ `scale`, where `scale` is a power of ten up to 10^12. */
function amountOf({ unitAmount, unitAmountDecimal }: PricedItem): { digits: bigint; scale: number } | null {
  const written = unitAmountDecimal ?? (unitAmount === null ? null : String(unitAmount));
  if (written === null) return null;
  const [whole = '', fraction = ''] = written.split('.');
  const significant = fraction.replace(/0+$/, '');
  return { digits: BigInt(whole + significant), scale: 10 ** significant.length };
}

/** The quantity that is billed, as the price transforms it. https://docs.stripe.com/products-prices/pricing-models#package-pricing */
function billedUnits({ quantity, transformQuantity }: PricedItem): bigint {
  const units = BigInt(quantity);
  if (!transformQuantity) return units;
  const size = BigInt(transformQuantity.divideBy);
  return (transformQuantity.round === 'up' ? units + size - 1n : units) / size;
}

/** An exact number; the denominator is positive. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A term in minor units a month. */
export const perMonth = ({ numerator, divisor }: RevenueTerm): Fraction => ({
  numerator,
  denominator: 12n * BigInt(divisor),
});

/** The exact sum of terms of one currency, in minor units a month. */
export const sumTerms = (terms: readonly RevenueTerm[]): Fraction => sumOf(terms.map(perMonth));

/** The exact sum of numbers. */
export function sumOf(fractions: Iterable<Fraction>): Fraction {
  let [sum, over] = [0n, 1n];
  for (const { numerator, denominator } of fractions) {
    const common = leastCommonMultiple(over, denominator);
    sum = sum * (common / over) + numerator * (common / denominator);
    over = common;
  }
  return { numerator: sum, denominator: over };
}

const leastCommonMultiple = (a: bigint, b: bigint): bigint => (a / greatestCommonDivisor(a, b)) * b;

/** The largest number that divides both. */
export function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

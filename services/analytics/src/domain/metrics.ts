import {
  UNPRICED_REASONS,
  type Fraction,
  type RevenueTerm,
  type UnpricedReason,
} from '@billing/contracts/item-revenue';
import type { PriceId } from '@billing/contracts/ids';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { dayOf, hourOf, type UtcDay, type UtcHour } from './utc-day.ts';

/**
 * A number that the read model stores for a project: one over all time, or one for each UTC day, hour or time. Every metric is
 * a plain sum over the project's tracked records, so a change of one record changes a metric by the delta of two sums.
 */
export interface MetricKey {
  readonly metric: string;
  /** A `UtcDay`, a `UtcHour` or a time in ISO 8601; empty for a metric over all time. */
  readonly bucket: string;
}

/** What one tracked record adds to a metric of its project. */
export interface Contribution extends MetricKey {
  readonly amount: bigint;
}

export const allTime = (metric: string, amount = 1n): Contribution => ({ metric, bucket: '', amount });
export const onDay = (metric: string, day: UtcDay, amount = 1n): Contribution => ({ metric, bucket: day, amount });
const inHour = (metric: string, hour: UtcHour): Contribution => ({ metric, bucket: hour, amount: 1n });
const atTime = (metric: string, time: Date): Contribution => ({
  metric,
  bucket: time.toISOString(),
  amount: 1n,
});

/** The same contributions with one amount a metric and without zeros. */
export function combine(contributions: readonly Contribution[]): Contribution[] {
  const sums = new Map<string, Contribution>();
  for (const contribution of contributions) {
    const { metric, bucket } = contribution;
    const key = `${metric} ${bucket}`;
    const sum = sums.get(key);
    sums.set(key, sum ? { metric, bucket, amount: sum.amount + contribution.amount } : contribution);
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n);
}

/** What must be added to the metrics when a record's contributions change from `before` to `after`: one amount a metric. */
export const delta = (before: readonly Contribution[], after: readonly Contribution[]): Contribution[] =>
  combine([...before.map(({ metric, bucket, amount }) => ({ metric, bucket, amount: -amount })), ...after]);

/** Names of metrics. */
export const METRIC = {
  /** Customers that are not deleted. */
  customers: 'customers',
  /** By day: customers created minus customers deleted. */
  netNewCustomers: 'net-new-customers',
  /** Subscriptions that are active or trialing now. */
  ongoing: 'ongoing',
  referralCodes: 'referral-codes',
  referrals: 'referrals',
  referralsConverted: 'referrals-converted',
} as const;

/** The name of a metric that is counted by day, by hour and by time; hours and times are read at a window's start only. */
const byTime = <const Name extends string>(name: Name) =>
  ({ daily: name, hourly: `${name}-hourly`, exact: `${name}-exactly` }) as const;
export type TimedMetric = ReturnType<typeof byTime>;

/** Times in which subscriptions were active or trialing: each counts where it starts and, once it is over, where it ends. */
export const LIFETIME_METRIC = {
  /** By start. */
  started: byTime('started'),
  /** By end, of subscriptions that went on, for example past due. */
  lapsed: byTime('lapsed'),
  /** By end, of subscriptions that have ended since. */
  ended: byTime('ended'),
  /** By start, of subscriptions that have ended since. */
  startedAndEnded: byTime('started-and-ended'),
} as const;

/** Trials that are over: each counts where it ended. */
export const TRIAL_METRIC = {
  ended: byTime('trials-ended'),
  /** Those after which the subscription was active. */
  converted: byTime('trials-converted'),
} as const;

/** One in a metric that is counted by time. */
export const oneAt = ({ daily, hourly, exact }: TimedMetric, time: Date): Contribution[] => [
  onDay(daily, dayOf(time)),
  inHour(hourly, hourOf(time)),
  atTime(exact, time),
];

/** The number of subscriptions in a status. */
export const statusMetric = (status: SubscriptionStatus): string => `status:${status}`;

/** Statuses in which a subscription counts as revenue. */
type EarningStatus = 'active' | 'trialing';

/** The summed numerators of all revenue of a status, currency and divisor: these share one denominator. */
export const revenueMetric = (status: EarningStatus, { currency, divisor }: RevenueTerm): string =>
  `revenue:${status}:${currency}:${divisor}`;

/** The same of the revenue of subscriptions whose payments are paused, whatever their status. */
export const pausedRevenueMetric = ({ currency, divisor }: RevenueTerm): string => `paused:any:${currency}:${divisor}`;

/** Parses a name made by `revenueMetric` or `pausedRevenueMetric`; undefined for any other metric. */
export function parseRevenueMetric(
  metric: string,
  numerator: bigint,
): (RevenueTerm & { readonly status: EarningStatus | 'paused' }) | undefined {
  const [prefix, name, currency, divisor] = metric.split(':');
  const status = prefix === 'paused' ? prefix : name;
  if ((prefix !== 'revenue' && prefix !== 'paused') || !currency) return undefined;
  if (status !== 'active' && status !== 'trialing' && status !== 'paused') return undefined;
  return { status, currency, divisor: Number(divisor), numerator };
}

/** The summed numerators of the revenue of a price, in one currency and divisor. */
export const priceRevenueMetric = (priceId: string, { currency, divisor }: RevenueTerm): string =>
  `price-revenue:${priceId}:${currency}:${divisor}`;

/** The number of active and trialing subscriptions that bill a price. */
export const priceSubscriptionsMetric = (priceId: string): string => `price-subscriptions:${priceId}`;

/** Parses a name made by either; undefined for any other metric. The number of subscriptions has no term. */
export function parsePriceMetric(
  metric: string,
  amount: bigint,
): { readonly priceId: PriceId; readonly term?: RevenueTerm } | undefined {
  const [prefix, priceId, currency, divisor] = metric.split(':');
  if ((prefix !== 'price-revenue' && prefix !== 'price-subscriptions') || !priceId) return undefined;
  const id = priceId as PriceId; // as it was written
  return currency ? { priceId: id, term: { currency, divisor: Number(divisor), numerator: amount } } : { priceId: id };
}

const DISCOUNT = 'discount';
/** Begins the names of what discounts take off until a day. */
export const ENDING_DISCOUNT = 'ending-discount';

/** The summed numerators of what discounts without an end take off the revenue in a currency, of one denominator. */
export const discountMetric = (currency: string, { denominator }: Fraction): string =>
  `${DISCOUNT}:${currency}:${denominator}`;

/** The same of discounts with an end: by the first UTC day on which they take off nothing. */
export const endingDiscountMetric = (currency: string, { denominator }: Fraction): string =>
  `${ENDING_DISCOUNT}:${currency}:${denominator}`;

/** Parses a name made by `discountMetric` or `endingDiscountMetric`; undefined for any other metric. */
export function parseDiscountMetric(
  metric: string,
  numerator: bigint,
): (Fraction & { readonly currency: string }) | undefined {
  const [prefix, currency, denominator] = metric.split(':');
  if ((prefix !== DISCOUNT && prefix !== ENDING_DISCOUNT) || !currency || !denominator) return undefined;
  return { currency, numerator, denominator: BigInt(denominator) };
}

/** How a subscription that is active or trialing stands in the revenue metrics. */
export interface LiveGroup {
  readonly currency: string;
  /** Whether an item adds to the revenue, perhaps nothing because it is free. */
  readonly isCounted: boolean;
  /** Why an item adds none, or all of it; null when every item adds. */
  readonly leftOut: UnpricedReason | 'testClock' | null;
}

/** The number of active and trialing subscriptions in a group. */
export const liveMetric = ({ currency, isCounted, leftOut }: LiveGroup): string =>
  `live:${currency}:${isCounted ? 'counted' : 'uncounted'}:${leftOut ?? ''}`;

/** The number of active and trialing subscriptions in a currency that live on test clocks. */
export const clockedMetric = (currency: string): string =>
  liveMetric({ currency, isCounted: false, leftOut: 'testClock' });

/** Parses a name made by `liveMetric`; undefined for any other metric. */
export function parseLiveMetric(metric: string): LiveGroup | undefined {
  const [prefix, currency, counted, reason] = metric.split(':');
  if (prefix !== 'live' || !currency) return undefined;
  return {
    currency,
    isCounted: counted === 'counted',
    leftOut: ([...UNPRICED_REASONS, 'testClock'] as const).find(it => it === reason) ?? null,
  };
}

/** Why revenue changed; the README of this service defines each. */
export const MOVEMENTS = ['new', 'expansion', 'reactivated', 'contraction', 'churned'] as const;
export type Movement = (typeof MOVEMENTS)[number];

/** The start of every name made by `movementMetric`. */
export const MOVEMENT_PREFIX = 'movement:';

/** Returns whether a contribution is a movement of revenue. */
export const isMovement = ({ metric }: Contribution): boolean => metric.startsWith(MOVEMENT_PREFIX);

/** By day: the change of revenue of a currency and divisor for this reason; negative where it fell. */
export const movementMetric = (movement: Movement, { currency, divisor }: RevenueTerm): string =>
  `${MOVEMENT_PREFIX}${movement}:${currency}:${divisor}`;

/** Parses a name made by `movementMetric`; undefined for any other metric. */
export function parseMovementMetric(
  metric: string,
  numerator: bigint,
): (RevenueTerm & { readonly movement: Movement }) | undefined {
  const [prefix, name, currency, divisor] = metric.split(':');
  const movement = MOVEMENTS.find(it => it === name);
  if (`${prefix}:` !== MOVEMENT_PREFIX || !movement || !currency) return undefined;
  return { movement, currency, divisor: Number(divisor), numerator };
}

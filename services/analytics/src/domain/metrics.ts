import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import type { RevenueTerm } from './revenue.ts';
import type { UtcDay, UtcHour } from './utc-day.ts';

/**
 * A number that the read model stores for a project: one over all time, or one for each UTC day or hour. Every metric is
 * a plain sum over the project's tracked records, so a change of one record changes a metric by the delta of two sums.
 */
export interface MetricKey {
  readonly metric: string;
  /** A `UtcDay` or a `UtcHour`; empty for a metric over all time. */
  readonly bucket: string;
}

/** What one tracked record adds to a metric of its project. */
export interface Contribution extends MetricKey {
  readonly amount: bigint;
}

export const allTime = (metric: string, amount = 1n): Contribution => ({ metric, bucket: '', amount });
export const onDay = (metric: string, day: UtcDay, amount = 1n): Contribution => ({ metric, bucket: day, amount });
export const inHour = (metric: string, hour: UtcHour): Contribution => ({ metric, bucket: hour, amount: 1n });

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
  /** Subscriptions that were activated at some time and have not ended. */
  ongoing: 'ongoing',
  webhookEvents: 'webhook-events',
  webhookEventsProcessed: 'webhook-events-processed',
  webhookEventsFailed: 'webhook-events-failed',
  referralCodes: 'referral-codes',
  referrals: 'referrals',
  referralsConverted: 'referrals-converted',
} as const;

/** Lifetimes of activated subscriptions, each counted by day and by hour; hours are read for a window's first day only. */
export const LIFETIME_METRIC = {
  /** By start. */
  started: { daily: 'started', hourly: 'started-hourly' },
  /** By end. */
  ended: { daily: 'ended', hourly: 'ended-hourly' },
  /** By start: only those that have ended since. */
  startedAndEnded: { daily: 'started-and-ended', hourly: 'started-and-ended-hourly' },
} as const;

/** The number of subscriptions in a status. */
export const statusMetric = (status: SubscriptionStatus): string => `status:${status}`;

/** Statuses in which a subscription counts as revenue. */
type EarningStatus = 'active' | 'trialing';

/** The summed numerators of all revenue of a status, currency and interval count: these share one denominator. */
export const revenueMetric = (status: EarningStatus, currency: string, intervalCount: number): string =>
  `revenue:${status}:${currency}:${intervalCount}`;

/** Parses a name made by `revenueMetric`; undefined for any other metric. */
export function parseRevenueMetric(
  metric: string,
  numerator: bigint,
): (RevenueTerm & { readonly status: EarningStatus }) | undefined {
  const [prefix, status, currency, intervalCount] = metric.split(':');
  if (prefix !== 'revenue' || (status !== 'active' && status !== 'trialing') || !currency) return undefined;
  return { status, currency, intervalCount: Number(intervalCount), numerator };
}

/** Why revenue changed; the README of this service defines each. */
const MOVEMENTS = ['new', 'expansion', 'contraction', 'churned'] as const;
export type Movement = (typeof MOVEMENTS)[number];

/** The start of every name made by `movementMetric`. */
export const MOVEMENT_PREFIX = 'movement:';

/** By day: the change of revenue of a currency and interval count for this reason; negative where it fell. */
export const movementMetric = (movement: Movement, currency: string, intervalCount: number): string =>
  `${MOVEMENT_PREFIX}${movement}:${currency}:${intervalCount}`;

/** Parses a name made by `movementMetric`; undefined for any other metric. */
export function parseMovementMetric(
  metric: string,
  numerator: bigint,
): (RevenueTerm & { readonly movement: Movement }) | undefined {
  const [prefix, name, currency, intervalCount] = metric.split(':');
  const movement = MOVEMENTS.find(it => it === name);
  if (`${prefix}:` !== MOVEMENT_PREFIX || !movement || !currency) return undefined;
  return { movement, currency, intervalCount: Number(intervalCount), numerator };
}

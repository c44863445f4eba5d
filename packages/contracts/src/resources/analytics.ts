import { z } from 'zod';
import { CustomerId, SubscriptionId } from '../ids.ts';
import { SUBSCRIPTION_STATUSES } from './subscription.ts';
import { timestamp } from '../timestamp.ts';

/** Why `mrr` leaves a subscription out: prices with tiers, billed by usage, or in another currency than the project's. */
export const EXCLUSION_REASONS = ['tiered', 'metered', 'otherCurrency'] as const;
export type ExclusionReason = (typeof EXCLUSION_REASONS)[number];

/** Set where the day is before the project's first sync: what happened then is known only from what is there now. */
const estimated = z.literal(true).optional();

export const analytics = z.object({
  /** Minor units of the project's base currency, active and trialing subscriptions. */
  mrr: z.int(),
  mrrTrialing: z.int(),
  /** The part of `mrr` whose payments are paused. */
  mrrPaused: z.int(),
  /** Active and trialing subscriptions that `mrr` leaves out, wholly or in part; each counts once. */
  mrrExcluded: z.object({ tiered: z.int(), metered: z.int(), otherCurrency: z.int() }),
  mrrByCurrency: z.record(z.string(), z.int()),
  customerCount: z.int(),
  /** Percent, two decimals. */
  churnRate: z.number(),
  /** Trials that ended in the window, how many of them converted, and these in percent with two decimals. */
  trialConversion: z.object({ ended: z.int(), converted: z.int(), rate: z.number() }),
  subscriptionBreakdown: z.record(z.enum(SUBSCRIPTION_STATUSES), z.int()),
  customerGrowth: z.array(z.object({ date: z.iso.date(), count: z.int(), estimated })),
  webhookStats: z.object({ total: z.int(), processed: z.int(), failed: z.int() }),
  referralStats: z.object({ totalCodes: z.int(), totalReferrals: z.int(), converted: z.int() }),
  /** When the newest event in these metrics happened; null before the first. */
  asOf: timestamp.nullable(),
});
export type Analytics = z.output<typeof analytics>;

/** How revenue changed, in minor units of the project's base currency; each amount is rounded once. */
export const revenueMovements = z.object({
  newMrr: z.int(),
  expansionMrr: z.int(),
  reactivatedMrr: z.int(),
  contractionMrr: z.int(),
  churnedMrr: z.int(),
  /** All of them together; negative when revenue fell. */
  netMrr: z.int(),
});

/** Metrics at the end of one UTC day, or of a few; revenue in minor units of the project's base currency. */
export const analyticsDay = revenueMovements.extend({
  /** The first day of the entry: `date` itself unless an entry has more days. */
  from: z.iso.date(),
  date: z.iso.date(),
  mrr: z.int(),
  customerCount: z.int(),
  estimated,
});
export type AnalyticsDay = z.output<typeof analyticsDay>;

export const analyticsHistory = z.object({
  /** The project's base currency. */
  currency: z.string(),
  /** Every UTC day of the window, oldest first; the last entry is today so far. */
  history: z.array(analyticsDay),
  /** What changed revenue in the whole window. */
  totals: revenueMovements,
  /** When the newest event in these metrics happened; null before the first. */
  asOf: timestamp.nullable(),
});
export type AnalyticsHistory = z.output<typeof analyticsHistory>;

/** Metrics that say how revenue changed on certain days. */
export const MOVEMENT_METRICS = revenueMovements.keyof().options;
export type MovementMetric = (typeof MOVEMENT_METRICS)[number];

export const ANALYTICS_METRICS = [
  'mrr',
  'mrrTrialing',
  'mrrPaused',
  'churn',
  'excluded',
  'trialConversion',
  ...MOVEMENT_METRICS,
] as const;
export type AnalyticsMetric = (typeof ANALYTICS_METRICS)[number];

/** A subscription behind a metric. */
export const analyticsSubscription = z.object({
  subscriptionId: SubscriptionId.schema,
  customerId: CustomerId.schema,
  status: z.enum(SUBSCRIPTION_STATUSES),
  currency: z.string(),
  /**
   * What it is worth a month at face value, or how much of that a movement added or took away, in the currency's smallest
   * unit: decimal text, exact where it has an end.
   */
  amount: z.string(),
  /** Why `mrr` leaves it out; null for other metrics. */
  reason: z.enum(EXCLUSION_REASONS).nullable(),
  /** Whether its trial converted; null for other metrics than `trialConversion`. */
  converted: z.boolean().nullable(),
});
export type AnalyticsSubscription = z.output<typeof analyticsSubscription>;

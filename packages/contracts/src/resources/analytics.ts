import { z } from 'zod';
import { CustomerId, PriceId, SubscriptionId } from '../ids.ts';
import { storedCurrency } from '../money.ts';
import { CANCELLATION_REASONS, cancellation, cancellationReason } from './cancellation.ts';
import { SUBSCRIPTION_STATUSES } from './subscription.ts';
import { timestamp } from '../timestamp.ts';

/** Why `mrr` leaves a subscription out: prices with tiers, billed by usage, in another currency than the project's, or a test clock. */
const EXCLUSION_REASONS = ['tiered', 'metered', 'otherCurrency', 'testClock'] as const;
export type ExclusionReason = (typeof EXCLUSION_REASONS)[number];

const asOf = timestamp.nullable().meta({
  description: 'When the newest event in these metrics happened; null before the first.',
  example: '2026-03-02T09:31:12.000Z',
});
const estimated = z
  .literal(true)
  .optional()
  .describe(
    'True where the day is before the project’s first sync: what happened then is known only from what is there now.',
  );

export const analytics = z
  .object({
    mrr: z
      .int()
      .describe(
        'Monthly recurring revenue in the smallest unit of the project’s base currency, active and trialing subscriptions at face value.',
      ),
    mrrDiscounted: z
      .int()
      .describe(
        '`mrr` less the discounts that last: those without an end and those whose end is over a month away, but none for a single invoice.',
      ),
    mrrTrialing: z.int().describe('The part of `mrr` that is in a trial.'),
    mrrPaused: z.int().describe('The part of `mrr` whose payments are paused.'),
    mrrExcluded: z
      .object({ tiered: z.int(), metered: z.int(), otherCurrency: z.int(), testClock: z.int() })
      .describe(
        'How many active and trialing subscriptions `mrr` leaves out, wholly or in part, each counted once: those on a test clock, else in another currency, else with tiered prices, else with metered ones. Subscriptions and customers on test clocks are in no other metric, not even of the time before they came onto the clock.',
      ),
    arr: z
      .int()
      .describe('Annual recurring revenue: twelve times the exact monthly revenue behind `mrr`, rounded once.'),
    mrrByCurrency: z
      .record(z.string(), z.int())
      .describe('Monthly recurring revenue per currency; currencies are never added up.'),
    mrrByPrice: z
      .array(
        z.object({
          priceId: PriceId.schema,
          subscriptions: z.int().meta({ description: 'Active and trialing subscriptions that bill it.', example: 1 }),
          mrr: z.record(z.string(), z.int()).describe('What it adds to `mrrByCurrency`; rounded for each currency.'),
        }),
      )
      .meta({
        description: 'Monthly recurring revenue per price, of prices that active or trialing subscriptions bill.',
        example: [{ priceId: PriceId.example, subscriptions: 1, mrr: { usd: 2999 } }],
      }),
    customerCount: z.int().describe('Customers that are neither deleted nor on a test clock.'),
    churnRate: z
      .number()
      .describe(
        'Percentage of the subscriptions active or trialing at the start of the window that ended within it; two decimals.',
      ),
    churn: z
      .object({ active: z.int(), ended: z.int() })
      .describe(
        'What `churnRate` divides: the subscriptions active or trialing at the start of the window, and those of them that ended within it.',
      ),
    trialConversion: z
      .object({ ended: z.int(), converted: z.int(), rate: z.number() })
      .describe(
        'Trials that ended in the window: as planned, or earlier with their subscription. `converted` are those after which the subscription was active, and `rate` is their percentage; two decimals.',
      ),
    subscriptionBreakdown: z
      .record(z.enum(SUBSCRIPTION_STATUSES), z.int())
      .describe('Number of subscriptions in each status.'),
    customerGrowth: z
      .array(z.object({ date: z.iso.date(), count: z.int(), estimated }))
      .describe('Number of customers at the end of each UTC day of the window.'),
    webhookStats: z
      .object({ total: z.int(), processed: z.int(), failed: z.int() })
      .describe('Number of webhook events of the project, and how their processing ended.'),
    referralStats: z
      .object({ totalCodes: z.int(), totalReferrals: z.int(), converted: z.int() })
      .describe('Number of referral codes, of referrals, and of those that converted.'),
    asOf,
  })
  .meta({
    id: 'Analytics',
    description: 'The metrics of a project.',
    example: {
      mrr: 2999,
      mrrDiscounted: 2399,
      mrrTrialing: 0,
      mrrPaused: 0,
      mrrExcluded: { tiered: 0, metered: 0, otherCurrency: 0, testClock: 0 },
      arr: 35_988,
      mrrByCurrency: { usd: 2999 },
      customerCount: 2,
      churnRate: 0,
      churn: { active: 1, ended: 0 },
      trialConversion: { ended: 4, converted: 3, rate: 75 },
      subscriptionBreakdown: {
        active: 1,
        trialing: 0,
        past_due: 0,
        canceled: 0,
        unpaid: 0,
        incomplete: 0,
        incomplete_expired: 0,
        paused: 0,
      },
      customerGrowth: [
        { date: '2026-03-01', count: 0 },
        { date: '2026-03-02', count: 2 },
      ],
      webhookStats: { total: 9, processed: 9, failed: 0 },
      referralStats: { totalCodes: 1, totalReferrals: 1, converted: 1 },
    },
  });
export type Analytics = z.output<typeof analytics>;

const movement = z.int().meta({ example: 0 });
const increase = movement.meta({ example: 2999 });

export const revenueMovements = z
  .object({
    newMrr: increase.describe('Revenue of subscriptions that never had revenue before.'),
    expansionMrr: movement.describe('Increases of subscriptions that had revenue just before.'),
    reactivatedMrr: movement.describe(
      'Revenue of subscriptions that had none just before but had some earlier, for example when a past due one is paid.',
    ),
    contractionMrr: movement.describe(
      'Decreases of subscriptions that have not ended, including past due and paused ones.',
    ),
    churnedMrr: movement.describe('Revenue of subscriptions that ended.'),
    netMrr: increase.describe('All movements together; negative when revenue fell.'),
  })
  .meta({
    id: 'RevenueMovements',
    description:
      'How revenue changed, in the smallest unit of the project’s base currency. Each amount is rounded once.',
  });

export const analyticsDay = revenueMovements
  .extend({
    from: z.iso.date().describe('The first day of the entry: `date` itself unless an entry has more days.'),
    date: z.iso.date().describe('The last day of the entry.'),
    mrr: z
      .int()
      .describe('Monthly recurring revenue at the end of the day, active and trialing subscriptions at face value.'),
    customerCount: z.int().describe('Customers at the end of the day.'),
    estimated,
  })
  .meta({
    id: 'AnalyticsDay',
    description:
      'Metrics at the end of a UTC day, or of `step` days. Revenue is in the smallest unit of the project’s base currency. Each amount is rounded once, so a day’s revenue may differ by up to three units from the previous day plus the movements.',
    example: { from: '2026-03-02', date: '2026-03-02', mrr: 2999, customerCount: 2 },
  });
export type AnalyticsDay = z.output<typeof analyticsDay>;

export const analyticsHistory = z
  .object({
    currency: storedCurrency.describe('The project’s base currency.'),
    history: z
      .array(analyticsDay)
      .describe(
        'Every UTC day of the window, or every `step` days of it, oldest first; the last entry ends with the window, today so far by default.',
      ),
    totals: revenueMovements,
    asOf,
  })
  .meta({
    id: 'AnalyticsHistory',
    description: 'The daily metrics of a project. `totals` is what changed revenue in the whole window.',
  });
export type AnalyticsHistory = z.output<typeof analyticsHistory>;

/** Metrics that say how revenue changed on certain days. */
export const MOVEMENT_METRICS = revenueMovements.keyof().options;
export type MovementMetric = (typeof MOVEMENT_METRICS)[number];

export const ANALYTICS_METRICS = [
  'mrr',
  'mrrDiscounted',
  'mrrTrialing',
  'mrrPaused',
  'churn',
  'excluded',
  'trialConversion',
  'cancellations',
  ...MOVEMENT_METRICS,
] as const;
export type AnalyticsMetric = (typeof ANALYTICS_METRICS)[number];

/** How the reasons are named by which cancellations are listed: `none` is of those that gave none. */
export const LISTED_REASONS = [...CANCELLATION_REASONS, 'none'] as const;

export type ListedReason = (typeof LISTED_REASONS)[number];

export const cancellationCount = z
  .object({
    reason: cancellationReason.nullable().describe('Null for cancellations without a reason.'),
    count: z.int().meta({ description: 'How many were requested in the window.', example: 3 }),
  })
  .meta({ id: 'CancellationCount', description: 'How often customers canceled for a reason.' });
export type CancellationCount = z.output<typeof cancellationCount>;

export const analyticsSubscription = z
  .object({
    subscriptionId: SubscriptionId.schema,
    customerId: CustomerId.schema,
    status: z.enum(SUBSCRIPTION_STATUSES).describe('Its status at that time.'),
    currency: storedCurrency,
    amount: z
      .string()
      .describe(
        'What it is worth a month at face value, in the currency’s smallest unit, whatever its status; for `mrrDiscounted` after the discounts that last, for a movement what it added or took away on the days asked for. Decimal text, exact where the decimals end, else rounded up at the 18th.',
      ),
    reason: z.enum(EXCLUSION_REASONS).nullable().describe('Why `mrr` leaves it out; null for the other metrics.'),
    converted: z
      .boolean()
      .nullable()
      .describe('Whether its trial converted; null for other metrics than `trialConversion`.'),
    cancellation: cancellation.nullable().meta({
      description: 'What the customer said who canceled; null for other metrics than `cancellations`.',
      example: null,
    }),
  })
  .meta({ id: 'AnalyticsSubscription', description: 'A subscription behind a metric.', example: { amount: '2999' } });
export type AnalyticsSubscription = z.output<typeof analyticsSubscription>;

export const analyticsCustomer = z
  .object({
    customerId: CustomerId.schema,
    status: z
      .enum(SUBSCRIPTION_STATUSES)
      .nullable()
      .describe(
        'The best status of its subscriptions: active, trialing, past due, unpaid, paused, incomplete, ended; null when it never had one.',
      ),
    subscriptions: z.int().describe('Number of its subscriptions, ended ones included.'),
    mrr: z
      .array(
        z.object({
          currency: storedCurrency,
          amount: z
            .string()
            .meta({ example: '2999' })
            .describe(
              'In the currency’s smallest unit. Decimal text, exact where the decimals end, else rounded up at the 18th.',
            ),
        }),
      )
      .describe('What it adds to `mrrByCurrency`; without currencies to which it adds nothing.'),
  })
  .meta({
    id: 'AnalyticsCustomer',
    description: 'A customer’s part of the metrics.',
    example: { status: 'active', subscriptions: 1 },
  });
export type AnalyticsCustomer = z.output<typeof analyticsCustomer>;

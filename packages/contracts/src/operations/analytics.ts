import { z } from 'zod';
import { declareOperations } from '../declare-operations.ts';
import { CustomerId, PriceId } from '../ids.ts';
import { currency } from '../money.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import {
  analytics,
  ANALYTICS_METRICS,
  analyticsCustomer,
  analyticsHistory,
  analyticsSubscription,
  cancellationCount,
  LISTED_REASONS,
  MOVEMENT_METRICS,
  type AnalyticsMetric,
} from '../resources/analytics.ts';
import { idsText, integerText } from '../text.ts';

const isMovement = (metric: string) => MOVEMENT_METRICS.some(it => it === metric);

/** Metrics that count subscriptions, whatever their currency. */
const NOT_OF_REVENUE: ReadonlySet<string> = new Set<AnalyticsMetric>([
  'churn',
  'excluded',
  'trialConversion',
  'cancellations',
]);

/** Metrics that may be listed by their last day alone. */
const HAVE_LAST_DAY: ReadonlySet<string> = new Set<AnalyticsMetric>([
  'mrr',
  'churn',
  'trialConversion',
  'cancellations',
]);

const growthDays = integerText(1, 365)
  .default(30)
  .describe('Length of the window for churn, trials, growth, cancellations and movements, in days.');

const to = z.iso
  .date()
  .optional()
  .describe(
    'The last UTC day of the window, `YYYY-MM-DD`; by default it ends now. What a project has now stays what it is.',
  );

const listedMetric = z
  .strictObject({
    metric: z.enum(ANALYTICS_METRICS).describe('The metric whose subscriptions are listed.'),
    growthDays,
    from: z.iso
      .date()
      .optional()
      .describe(
        'The first UTC day of a movement of revenue, `YYYY-MM-DD`. By default the last `growthDays` days are listed.',
      ),
    to: z.iso
      .date()
      .optional()
      .describe(
        'The last UTC day of a movement of revenue, `YYYY-MM-DD`; today includes everything dated later. With `mrr` the day at whose end it is listed, with `churn`, `trialConversion` and `cancellations` the last day of the window; now by default.',
      ),
    currency: currency
      .optional()
      .describe('The currency of the revenue that is listed; the project’s base currency by default.'),
    reason: z
      .enum(LISTED_REASONS)
      .optional()
      .describe('Only cancellations for this reason; `none` for those without one.'),
    ...pageQuery,
  })
  .refine(
    ({ metric, from, to: last }) =>
      isMovement(metric) || (from === undefined && (last === undefined || HAVE_LAST_DAY.has(metric))),
    {
      error: 'Only a movement of revenue is listed by days, and of other metrics only some by their last day alone.',
      path: ['metric'],
    },
  )
  .refine(({ metric, from, to: last }) => !isMovement(metric) || !from === !last, {
    error: 'Expected `from` and `to` together.',
    path: ['to'],
  })
  .refine(({ metric, reason }) => reason === undefined || metric === 'cancellations', {
    error: 'Only `cancellations` are listed by their reason.',
    path: ['reason'],
  })
  .refine(({ metric, currency: of }) => of === undefined || !NOT_OF_REVENUE.has(metric), {
    error: 'Only revenue is listed by its currency.',
    path: ['currency'],
  });

const mrrBound = integerText(0, Number.MAX_SAFE_INTEGER).optional();

export const analyticsOperations = declareOperations('analytics', {
  getAnalytics: {
    route: `GET ${PROJECT_PATH}/analytics`,
    access: projectAccess('analytics:read'),
    summary: 'Get revenue, customers, churn, webhook and referral metrics of the project',
    query: z.strictObject({ growthDays, to }),
    response: analytics,
    example: { query: { growthDays: '30' } },
  },
  getAnalyticsHistory: {
    route: `GET ${PROJECT_PATH}/analytics/history`,
    access: projectAccess('analytics:read'),
    summary: 'Get daily revenue, revenue movements and customers',
    query: z.strictObject({
      days: integerText(1, 365).default(30).describe('Number of UTC days, including the last one.'),
      to,
      step: integerText(1, 365)
        .default(1)
        .describe(
          'Number of days in one entry; the last entry ends with the window, and the first one has what is left.',
        ),
    }),
    response: analyticsHistory,
    example: { query: { days: '1' } },
  },
  listCancellations: {
    route: `GET ${PROJECT_PATH}/analytics/cancellations`,
    access: projectAccess('analytics:read'),
    summary: 'Count the cancellations of the window by their reason',
    query: z.strictObject({ growthDays, to }),
    response: z.object({
      cancellations: z
        .array(cancellationCount)
        .describe(
          'The most frequent reason first. What was requested and not taken back counts, whether or not the subscription has ended yet; what ended because a payment failed or was disputed does not.',
        ),
    }),
    example: { query: { growthDays: '30' } },
  },
  listAnalyticsSubscriptions: {
    route: `GET ${PROJECT_PATH}/analytics/subscriptions`,
    access: projectAccess('analytics:read'),
    summary:
      'List the subscriptions behind a metric: revenue, its movements, churn, trials, cancellations, or what revenue leaves out',
    query: listedMetric,
    response: z.object({
      subscriptions: z.array(analyticsSubscription),
      total: z.number().meta({
        description:
          'The metric itself: `mrr` or a part of it, `churnRate`, the rate of `trialConversion`, a movement of revenue, or the number of excluded subscriptions or of cancellations.',
        example: 2999,
      }),
      pagination,
    }),
    example: { query: { metric: 'mrr' } },
  },
  getAnalyticsCustomers: {
    route: `GET ${PROJECT_PATH}/analytics/customers`,
    access: projectAccess('analytics:read'),
    summary: 'Get the status and the monthly recurring revenue of customers',
    query: z.strictObject({
      ids: idsText(CustomerId.schema, 100).describe('The ids of up to 100 customers, separated by commas.'),
    }),
    response: z.object({
      customers: z
        .array(analyticsCustomer)
        .describe('In the order of `ids`, without those that are no customers of the project.'),
    }),
    example: { query: { ids: CustomerId.example } },
  },
  listCustomersByMrr: {
    route: `GET ${PROJECT_PATH}/analytics/customers-by-mrr`,
    access: projectAccess('analytics:read'),
    summary: 'List the customers with an active or trialing subscription, the highest monthly recurring revenue first',
    query: z.strictObject({
      currency: currency
        .optional()
        .describe('The currency of the subscriptions and of the revenue; the project’s base currency by default.'),
      minMrr: mrrBound.describe('Only customers with at least this, in the currency’s smallest unit, rounded to it.'),
      maxMrr: mrrBound.describe('Only customers with at most this, in the currency’s smallest unit, rounded to it.'),
      priceIds: idsText(PriceId.schema, 100)
        .optional()
        .describe(
          'Only customers one of whose subscriptions bills one of these prices, for example all of a product: up to 100, separated by commas.',
        ),
      ...pageQuery,
    }),
    response: z.object({
      customers: z
        .array(analyticsCustomer)
        .describe(
          'As `GET …/analytics/customers` shows them; those with the same revenue are in the order of their ids.',
        ),
      pagination,
    }),
    example: { query: { limit: '50', offset: '0' } },
  },
});

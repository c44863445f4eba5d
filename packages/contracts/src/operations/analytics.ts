import { z } from 'zod';
import {
  exampleAnalytics,
  exampleAnalyticsHistory,
  exampleAnalyticsSubscription,
} from '../openapi/examples/analytics.ts';
import { examplePagination } from '../openapi/examples/shared.ts';
import { operation, PROJECT_PATH, projectAccess, projectParams } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import {
  analytics,
  ANALYTICS_METRICS,
  analyticsHistory,
  analyticsSubscription,
  MOVEMENT_METRICS,
} from '../resources/analytics.ts';
import { integerText } from '../text.ts';

const isMovement = (metric: string) => MOVEMENT_METRICS.some(it => it === metric);

const listedMetric = z
  .strictObject({
    metric: z.enum(ANALYTICS_METRICS),
    growthDays: integerText(1, 365).default(30),
    from: z.iso.date().optional(),
    to: z.iso.date().optional(),
    ...pageQuery,
  })
  .refine(
    ({ metric, from, to }) => isMovement(metric) || (from === undefined && (to === undefined || metric === 'mrr')),
    {
      error: 'Only a movement of revenue is listed by days, and only `mrr` by its last day alone.',
      path: ['metric'],
    },
  )
  .refine(({ metric, from, to }) => !isMovement(metric) || ((from ?? '') <= (to ?? '') && !from === !to), {
    error: 'Expected `from` and `to` together, with `to` not before `from`.',
    path: ['to'],
  });

export const analyticsOperations = {
  getAnalytics: operation({
    id: 'getAnalytics',
    service: 'analytics',
    method: 'GET',
    path: `${PROJECT_PATH}/analytics`,
    access: projectAccess('analytics:read'),
    summary: 'Get revenue, customers, churn, webhook and referral metrics of the project',
    params: projectParams,
    query: z.strictObject({ growthDays: integerText(1, 365).default(30) }),
    status: 200,
    response: analytics,
    problems: [],
    example: { query: { growthDays: '30' }, response: exampleAnalytics },
  }),
  getAnalyticsHistory: operation({
    id: 'getAnalyticsHistory',
    service: 'analytics',
    method: 'GET',
    path: `${PROJECT_PATH}/analytics/history`,
    access: projectAccess('analytics:read'),
    summary: 'Get daily revenue, revenue movements and customers',
    params: projectParams,
    query: z.strictObject({ days: integerText(1, 365).default(30), step: integerText(1, 365).default(1) }),
    status: 200,
    response: analyticsHistory,
    problems: [],
    example: { query: { days: '2' }, response: exampleAnalyticsHistory },
  }),
  listAnalyticsSubscriptions: operation({
    id: 'listAnalyticsSubscriptions',
    service: 'analytics',
    method: 'GET',
    path: `${PROJECT_PATH}/analytics/subscriptions`,
    access: projectAccess('analytics:read'),
    summary:
      'List the subscriptions behind a metric: revenue, its movements, churn, trials, or what revenue leaves out',
    params: projectParams,
    query: listedMetric,
    status: 200,
    response: z.object({
      subscriptions: z.array(analyticsSubscription),
      /** The metric itself: `mrr` or a part of it, `churnRate`, the rate of `trialConversion`, a movement of revenue, or the number of excluded subscriptions. */
      total: z.number(),
      pagination,
    }),
    problems: [],
    example: {
      query: { metric: 'mrr' },
      response: { subscriptions: [exampleAnalyticsSubscription], total: 2999, pagination: examplePagination },
    },
  }),
};

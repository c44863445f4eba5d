import { z } from 'zod';
import { exampleAnalytics, exampleAnalyticsHistory } from '../openapi/examples.ts';
import { operation, PROJECT_PATH, projectAccess, projectParams } from '../operation.ts';
import { analytics, analyticsHistory } from '../resources/analytics.ts';
import { integerText } from '../text.ts';

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
    query: z.strictObject({ days: integerText(1, 365).default(30) }),
    status: 200,
    response: analyticsHistory,
    problems: [],
    example: { query: { days: '2' }, response: exampleAnalyticsHistory },
  }),
};

import { z } from 'zod';
import { declareOperations } from '../declare-operations.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { longListQuery, pagination } from '../pagination.ts';
import { summaryQuery, usage, usageCreate, usageFilter, usageSummary } from '../resources/usage.ts';

const read = projectAccess('customers:read');

export const usageOperations = declareOperations('customers', {
  recordUsage: {
    route: `POST ${PROJECT_PATH}/usage`,
    access: projectAccess('usage:write'),
    summary: 'Record usage, which the payment processor then bills; an event that was recorded before is a duplicate',
    body: usageCreate,
    status: 202,
    response: z.object({
      accepted: z.int().meta({ description: 'How many events are new.', example: 1 }),
      duplicates: z.int().meta({ description: 'How many were recorded before.', example: 0 }),
    }),
    problems: ['customer_not_found', 'usage_id_taken', 'usage_in_future', 'usage_too_old'],
  },
  listUsage: {
    route: `GET ${PROJECT_PATH}/usage`,
    access: read,
    summary: 'List recorded usage of the last 40 days, newest first',
    query: z.strictObject({ ...usageFilter, ...longListQuery }),
    response: z.object({ usage: z.array(usage), pagination }),
    example: { query: { status: 'rejected' } },
  },
  getUsageSummaries: {
    route: `GET ${PROJECT_PATH}/customers/:customerId/usage`,
    access: read,
    summary: 'Sum up what a meter of the payment processor has counted of a customer',
    query: summaryQuery,
    response: z.object({ summaries: z.array(usageSummary) }),
    problems: ['customer_not_found', 'meter_not_found', 'processor_not_connected', 'processor_error'],
    example: {
      query: { meter: 'api_calls', start: '2026-03-02T09:30:00.000Z', end: '2026-03-02T10:30:00.000Z' },
    },
  },
});

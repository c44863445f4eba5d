import { z } from 'zod';
import { declareOperations, success } from '../declare-operations.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import { testCard, testClock, testClockAdvance, testClockCreate } from '../resources/test-clock.ts';

const read = projectAccess('customers:read');
const write = projectAccess('customers:write');
const clocks = `${PROJECT_PATH}/test-clocks` as const;
const path = `${clocks}/:testClockId` as const;
const NOT_SENT = ['live_mode', 'processor_not_connected', 'processor_error'] as const;

export const testClockOperations = declareOperations('customers', {
  createTestClock: {
    route: `POST ${clocks}`,
    access: write,
    summary: 'Create a test clock, in whose time customers are billed; only in test mode',
    body: testClockCreate,
    status: 201,
    response: z.object({ testClock }),
    problems: ['customer_not_found', 'quota_exceeded', ...NOT_SENT],
  },
  listTestClocks: {
    route: `GET ${clocks}`,
    access: read,
    summary: 'List test clocks, newest first',
    query: z.strictObject(pageQuery),
    response: z.object({ testClocks: z.array(testClock), pagination }),
  },
  getTestClock: {
    route: `GET ${path}`,
    access: read,
    summary: 'Get a test clock with its time and its customers',
    response: z.object({ testClock }),
    problems: ['test_clock_not_found'],
  },
  advanceTestClock: {
    route: `POST ${path}/advance`,
    access: write,
    summary: 'Advance a test clock; once it is `ready` again, all that happened is recorded here',
    body: testClockAdvance,
    status: 202,
    response: z.object({ testClock }),
    problems: ['test_clock_not_found', 'test_clock_advancing', 'time_not_ahead', 'nothing_ahead', ...NOT_SENT],
    example: { response: { testClock: { status: 'advancing', target: '2026-04-02T09:30:00.000Z' } } },
  },
  deleteTestClock: {
    route: `DELETE ${path}`,
    access: write,
    summary: 'Delete a test clock with its customers, here and at the payment processor',
    response: success,
    problems: ['test_clock_not_found', ...NOT_SENT],
  },
});

export const testCardOperations = declareOperations('subscriptions', {
  setTestCard: {
    route: `PUT ${PROJECT_PATH}/customers/:customerId/test-card`,
    access: write,
    summary: 'Give a customer a test card, which its subscriptions are charged to; only in test mode',
    body: testCard,
    response: z.object({ testCard }),
    problems: ['customer_not_found', ...NOT_SENT],
  },
});

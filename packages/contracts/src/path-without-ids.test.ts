import { expect, it } from 'vitest';
import { pathWithoutIds } from './path-without-ids.ts';

it.each([
  ['/v1/customers', '/v1/customers'],
  ['/v1/customers/cus_NffrFeUfNV2Hib', '/v1/customers/:id'],
  ['/v1/payment_intents/pi_3MtwBwLkdIwHu7ix28a3tqPa', '/v1/payment_intents/:id'],
  ['/v1/webhook_endpoints/we_1Mr5jULkdIwHu7ix1ibLTM0x', '/v1/webhook_endpoints/:id'],
  ['/v1/subscription_schedules/sub_sched_1Mr3YcLkdIwHu7ixjop3qtff/release', '/v1/subscription_schedules/:id/release'],
  [
    '/v1/checkout/sessions/cs_test_a11YYufWQzNY63zpQ6QSNRQhkUpVph4WRmzW0zWJO2znZKdVujZ0N0S22u',
    '/v1/checkout/sessions/:id',
  ],
  ['/api/service/teams/team_70ctjvapsg0zh72dk4qmb5js/projects', '/api/service/teams/:id/projects'],
])('%s becomes %s', (path, expected) => {
  expect(pathWithoutIds(path)).toBe(expected);
});

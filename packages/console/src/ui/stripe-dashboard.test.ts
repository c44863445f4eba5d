import { expect, it } from 'vitest';
import { dashboardUrl } from './stripe-dashboard.ts';

const live = { accountId: 'acct_1', livemode: true };
const test = { ...live, livemode: false };

it.each([
  ['cus_1', test, 'https://dashboard.stripe.com/acct_1/test/customers/cus_1'],
  ['cus_1', live, 'https://dashboard.stripe.com/acct_1/customers/cus_1'],
  ['sub_1', live, 'https://dashboard.stripe.com/acct_1/subscriptions/sub_1'],
  ['pi_1', live, 'https://dashboard.stripe.com/acct_1/payments/pi_1'],
  ['ch_1', live, 'https://dashboard.stripe.com/acct_1/payments/ch_1'],
  ['evt_1/../x?y', live, 'https://dashboard.stripe.com/acct_1/events/evt_1%2F..%2Fx%3Fy'],
  ['bps_1', live, undefined],
  ['constructor_1', live, undefined],
])('finds the page of %s', (id, account, url) => {
  expect(dashboardUrl(id, account)).toBe(url);
});

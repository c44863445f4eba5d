import type { Stripe } from 'stripe';
import { isMissing } from '../errors.ts';
import { PAGE_SIZE } from '../page-size.ts';
import { readLiveCustomer } from '../snapshots/customer.ts';
import { readSubscription } from '../snapshots/subscription.ts';
import type { TestClocks, TestClockSnapshot } from '../test-clocks.ts';
import { given, inSeconds, listAll, write, type Calls } from './calls.ts';

/** Test clocks and test cards. */
export function testClockCalls({ stripe, call }: Calls, { isLive }: Pick<TestClocks, 'isLive'>): TestClocks {
  const clocks = stripe.testHelpers.testClocks;
  return {
    isLive,
    createTestClock: ({ name, now, customerId: customer }, key) =>
      call(async () =>
        readTestClock(await clocks.create({ name, frozen_time: inSeconds(now), ...given({ customer }) }, write(key))),
      ),
    findTestClock: id => call(async () => readTestClock(await clocks.retrieve(id))),
    advanceTestClock: (id, to, key) =>
      call(async () => readTestClock(await clocks.advance(id, { frozen_time: inSeconds(to) }, write(key)))),
    deleteTestClock: id =>
      call(async () => void (await clocks.del(id))).catch((err: unknown) => {
        if (!isMissing(err)) throw err;
      }),
    listCustomersOnTestClock: id =>
      call(async () =>
        (await listAll(stripe.customers.list({ test_clock: id, limit: PAGE_SIZE }))).map(readLiveCustomer),
      ),
    listSubscriptionsOnTestClock: id =>
      call(async () =>
        (await listAll(stripe.subscriptions.list({ test_clock: id, limit: PAGE_SIZE }))).map(readSubscription),
      ),
    attachTestCard: (customer, card, key) =>
      call(async () => {
        const { id } = await stripe.paymentMethods.attach(card, { customer }, write(key));
        return { paymentMethodId: id };
      }),
  };
}

/** `internal_failure` is the third one. */
const KNOWN = ['ready', 'advancing'] as const;

const readTestClock = ({
  id,
  name,
  frozen_time,
  status,
  deletes_after,
}: Stripe.TestHelpers.TestClock): TestClockSnapshot => ({
  id,
  name: name ?? '',
  now: new Date(frozen_time * 1_000),
  status: KNOWN.find(one => one === status) ?? 'failed',
  deletesAt: new Date(deletes_after * 1_000),
});

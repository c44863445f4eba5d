import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
  type BilledItem,
  type SubscriptionState,
} from '@billing/contracts/events/subscriptions';
import { CustomerId, SubscriptionId, type ProjectScope } from '@billing/contracts/ids';
import { INTERVALS } from '@billing/contracts/resources/price';
import { SUBSCRIPTION_STATUSES } from '@billing/contracts/resources/subscription';
import { newEvent } from '@billing/testing/events';
import fc from 'fast-check';
import type { RecordedVersion } from '../reference-model.ts';
import type { RecordHistory } from './project-history.ts';

/** The longest interval counts that Stripe allows: three years. */
const MAX_INTERVAL_COUNT = { day: 1_095, week: 156, month: 36, year: 3 };

const billedItem: fc.Arbitrary<BilledItem> = fc
  .record({
    unitAmount: fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0, max: 99_999 }) }, fc.constant(null)),
    currency: fc.constantFrom('usd', 'usd', 'eur', 'jpy'),
    interval: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...INTERVALS) }, fc.constant(null)),
    fractionOfLongest: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
    quantity: fc.oneof(fc.constant(1), fc.integer({ min: 0, max: 50 })),
    metered: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  })
  .map(({ fractionOfLongest, ...item }) => ({
    ...item,
    processorPriceId: 'price_1',
    priceId: null,
    intervalCount: item.interval && 1 + Math.floor(fractionOfLongest * (MAX_INTERVAL_COUNT[item.interval] - 1)),
  }));

/** A subscription of one to four versions. */
export function subscriptionHistory(
  { teamId, projectId }: ProjectScope,
  time: fc.Arbitrary<Date>,
): fc.Arbitrary<RecordHistory> {
  const step = fc.record({
    status: fc.oneof(fc.constant('active' as const), fc.constantFrom(...SUBSCRIPTION_STATUSES)),
    items: fc.array(billedItem, { maxLength: 3 }),
    cancelAtPeriodEnd: fc.boolean(),
    endedAt: time,
    occurredAt: time,
  });
  return fc
    .record({ startedAt: time, steps: fc.array(step, { minLength: 1, maxLength: 4 }) })
    .map(({ startedAt, steps }) => {
      const unchanging = {
        id: SubscriptionId.create(),
        projectId,
        customerId: CustomerId.create(),
        processorSubscriptionId: 'sub_1',
        processorCustomerId: 'cus_1',
        priceId: null,
        quantity: 1,
        currentPeriodStart: startedAt,
        currentPeriodEnd: startedAt,
        trialEnd: null,
        startedAt,
        createdAt: startedAt,
      };
      const versions = steps.map(
        ({ status, items, cancelAtPeriodEnd, endedAt, occurredAt }, index): RecordedVersion => {
          const hasEnded = status === 'canceled' || status === 'incomplete_expired';
          const end = hasEnded ? new Date(Math.max(startedAt.getTime(), endedAt.getTime())) : null;
          const changing = { status, items, cancelAtPeriodEnd, endedAt: end, version: index + 1 };
          return { state: { ...unchanging, ...changing }, recordedAt: occurredAt };
        },
      );
      return {
        events: versions.map(({ state, recordedAt }) => newEvent(eventType(state), teamId, state, recordedAt)),
        subscriptions: versions.slice(-1).map(({ state }) => state),
        subscriptionVersions: [versions],
      };
    });
}

function eventType({ version, endedAt }: SubscriptionState) {
  if (version === 1) return SubscriptionCreated;
  return endedAt ? SubscriptionCanceled : SubscriptionUpdated;
}

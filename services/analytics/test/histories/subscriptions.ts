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

const mostly = <Value>(value: fc.Arbitrary<Value>, ...others: fc.Arbitrary<Value>[]) =>
  fc.oneof({ weight: 6, arbitrary: value }, ...others);

const whole = fc.integer({ min: 0, max: 99_999 });
const perUnit = { billingScheme: fc.constant('per_unit' as const) };
const none = fc.constant(null);
type Amount = Pick<BilledItem, 'unitAmount' | 'unitAmountDecimal' | 'billingScheme'>;

/** The amount of a price: whole, of an event from before decimals, with decimals, tiered, or of no known kind. */
const amount = mostly<Amount>(
  whole.map(unitAmount => ({ unitAmount, unitAmountDecimal: `${unitAmount}`, billingScheme: 'per_unit' as const })),
  fc.record({ unitAmount: whole, unitAmountDecimal: none, ...perUnit }),
  fc.record({
    unitAmount: none,
    unitAmountDecimal: fc.tuple(whole, fc.integer({ min: 1, max: 999_999_999_999 })).map(it => it.join('.')),
    ...perUnit,
  }),
  fc.record({ unitAmount: none, unitAmountDecimal: none, billingScheme: fc.constant('tiered' as const) }),
  fc.record({ unitAmount: none, unitAmountDecimal: none, ...perUnit }),
);

/** A billed item, but for its currency. */
const billedItem: fc.Arbitrary<Omit<BilledItem, 'currency'>> = fc
  .record({
    amount,
    interval: mostly(fc.constantFrom(...INTERVALS), none),
    fractionOfLongest: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
    quantity: fc.oneof(fc.constant(1), fc.integer({ min: 0, max: 50 })),
    transformQuantity: mostly(
      none,
      fc.record({ divideBy: fc.integer({ min: 1, max: 9 }), round: fc.constantFrom('up' as const, 'down' as const) }),
    ),
    metered: mostly(fc.constant(false), fc.constant(true)),
  })
  .map(({ fractionOfLongest, amount: ofUnit, ...item }) => ({
    ...item,
    ...ofUnit,
    processorPriceId: 'price_1',
    priceId: null,
    intervalCount: item.interval && 1 + Math.floor(fractionOfLongest * (MAX_INTERVAL_COUNT[item.interval] - 1)),
  }));

/** A subscription of one to five versions, in any statuses one after the other. */
export function subscriptionHistory(
  { teamId, projectId }: ProjectScope,
  time: fc.Arbitrary<Date>,
): fc.Arbitrary<RecordHistory> {
  const step = fc.record({
    status: fc.oneof(fc.constant('active' as const), fc.constantFrom(...SUBSCRIPTION_STATUSES)),
    items: fc.array(billedItem, { maxLength: 3 }),
    isPaused: mostly(fc.constant(false), fc.constant(true)),
    cancelAtPeriodEnd: fc.boolean(),
    endedAt: time,
    occurredAt: time,
  });
  return fc
    .record({
      startedAt: time,
      trialEnd: fc.option(time),
      currency: fc.constantFrom('usd', 'usd', 'eur', 'jpy'),
      steps: fc.array(step, { minLength: 1, maxLength: 5 }),
    })
    .map(({ startedAt, trialEnd, currency, steps }) => {
      const unchanging = {
        id: SubscriptionId.create(),
        projectId,
        customerId: CustomerId.create(),
        processorSubscriptionId: 'sub_1',
        processorCustomerId: 'cus_1',
        priceId: null,
        quantity: 1,
        cancelAt: null,
        canceledAt: null,
        currentPeriodStart: startedAt,
        currentPeriodEnd: startedAt,
        trialEnd,
        startedAt,
        createdAt: startedAt,
      };
      let end: Date | null = null;
      const versions = steps.map(
        ({ status, items, isPaused, cancelAtPeriodEnd, endedAt, occurredAt }, index): RecordedVersion => {
          const hasEnded = status === 'canceled' || status === 'incomplete_expired';
          // An end does not move.
          end = hasEnded ? (end ?? new Date(Math.max(startedAt.getTime(), endedAt.getTime()))) : null;
          const pauseCollection = isPaused ? { behavior: 'void', resumesAt: null } : null;
          const changing = { status, cancelAtPeriodEnd, pauseCollection, endedAt: end, version: index + 1 };
          const billed = items.map(item => ({ ...item, currency }));
          return { state: { ...unchanging, ...changing, items: billed }, recordedAt: occurredAt };
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

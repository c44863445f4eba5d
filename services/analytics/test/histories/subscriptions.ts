import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
  type BilledDiscount,
  type BilledItem,
  type SubscriptionChange,
} from '@billing/contracts/events/subscriptions';
import { CustomerId, PriceId, SubscriptionId, type ProjectScope } from '@billing/contracts/ids';
import { INTERVALS } from '@billing/contracts/resources/price';
import { hasEnded, SUBSCRIPTION_STATUSES, UNTAXED } from '@billing/contracts/resources/subscription';
import { newEvent } from '@billing/testing/events';
import fc from 'fast-check';
import { discount, versionsOf, type Shown } from '../states.ts';
import type { RecordHistory } from './project-history.ts';

const PRICES = [PriceId.create(), PriceId.create()];

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
    processorProductId: fc.constantFrom('prod_1', 'prod_2'),
    priceId: fc.constantFrom(null, ...PRICES),
  })
  .map(({ fractionOfLongest, amount: ofUnit, ...item }) => ({
    ...item,
    ...ofUnit,
    processorPriceId: 'price_1',
    intervalCount: item.interval && 1 + Math.floor(fractionOfLongest * (MAX_INTERVAL_COUNT[item.interval] - 1)),
  }));

const DAY_MS = 86_400_000;

/** Discounts of a percentage, for all products or one, or for one item, and at last one of an amount; many end about a month after `time`. */
const discounts = (time: fc.Arbitrary<Date>): fc.Arbitrary<BilledDiscount[]> => {
  const ending = fc.record({
    duration: fc.constantFrom('forever', 'repeating', 'once'),
    endsAt: mostly(
      fc.constant(null),
      fc.tuple(time, fc.integer({ min: 0, max: 70 })).map(([at, days]) => new Date(at.getTime() + days * DAY_MS)),
    ),
  });
  const percentage = fc
    .record({ ending, percent: fc.integer({ min: 1, max: 10_000 }), isForOne: fc.boolean(), on: fc.option(fc.nat(3)) })
    .map(it => ({
      ...discount,
      ...it.ending,
      percentOff: it.percent / 100,
      ...(it.isForOne && { processorProductIds: ['prod_1'] }),
      ...(it.on !== null && { level: 'item' as const, itemIndex: it.on }),
    }));
  const amountOff = fc
    .record({ ending, amount: fc.integer({ min: 1, max: 5_000 }) })
    .map(it => ({ ...discount, ...it.ending, amountOff: it.amount, currency: 'usd' }));
  return fc.tuple(fc.array(percentage, { maxLength: 2 }), fc.array(amountOff, { maxLength: 1 })).map(all => all.flat());
};

/** A subscription in one to five states, any one after the other, which become known in any order; it may come onto a test clock. */
export function subscriptionHistory(
  { teamId, projectId }: ProjectScope,
  time: fc.Arbitrary<Date>,
): fc.Arbitrary<RecordHistory> {
  const step = fc.record({
    status: fc.oneof(fc.constant('active' as const), fc.constantFrom(...LIVING)),
    items: fc.array(billedItem, { maxLength: 3 }),
    discounts: mostly<BilledDiscount[]>(fc.constant([]), discounts(time)),
    isPaused: mostly(fc.constant(false), fc.constant(true)),
    cancelAtPeriodEnd: fc.boolean(),
    involuntary: fc.boolean(),
    reason: fc.constantFrom('unused' as const, 'too_expensive' as const, null),
    at: time,
  });
  const end = fc.record({ status: fc.constantFrom('canceled' as const, 'incomplete_expired' as const), endedAt: time });
  return fc
    .record({
      startedAt: time,
      trialEnd: fc.option(time),
      currency: fc.constantFrom('usd', 'usd', 'eur', 'jpy'),
      steps: fc.uniqueArray(step, { maxLength: 5, selector: ({ at }) => at.getTime() }),
      end: fc.option(end),
      clockedFrom: fc.oneof({ weight: 2, arbitrary: none }, time),
      last: step,
      order: fc.infiniteStream(fc.nat()),
      recordedAt: fc.array(time, { minLength: 6, maxLength: 6 }),
    })
    .map(({ startedAt, trialEnd, currency, steps, end: ending, clockedFrom, last, order, recordedAt }) => {
      const unchanging = {
        id: SubscriptionId.create(),
        projectId,
        customerId: CustomerId.create(),
        processorSubscriptionId: 'sub_1',
        processorCustomerId: 'cus_1',
        priceId: null,
        quantity: 1,
        cancelAt: null,
        currentPeriodStart: startedAt,
        currentPeriodEnd: startedAt,
        trialEnd,
        startedAt,
        createdAt: startedAt,
      };
      const shown = (steps.length > 0 || ending ? steps : [last])
        .filter(({ at }) => at >= startedAt)
        .map(given => ({ at: given.at, state: stateOf(given) }))
        .toSorted((one, other) => one.at.getTime() - other.at.getTime());
      if (shown.length === 0 && !ending) shown.push({ at: startedAt, state: stateOf(last) });
      // An end becomes known at any time: its event may be older than others, and tell of an end long before.
      const endedAt = ending && new Date(Math.max(startedAt.getTime(), ending.endedAt.getTime()));
      const all: Shown[] = ending
        ? [...shown, { at: last.at, state: { ...stateOf(last), status: ending.status, endedAt, canceledAt: endedAt } }]
        : shown;
      const versions = versionsOf(
        all
          .map(it => ({ it, by: order.next().value ?? 0 }))
          .toSorted((a, b) => a.by - b.by)
          .map(({ it }) => it),
      );
      return {
        events: versions.map((state, index) => newEvent(eventType(state), teamId, state, recordedAt[index])),
        subscriptions: versions.slice(-1),
        lives: versions.slice(-1).map(newest => ({ newest, shown })),
      };

      function stateOf({
        status,
        items,
        discounts: given,
        isPaused,
        cancelAtPeriodEnd,
        reason,
        involuntary,
        at,
      }: typeof last): SubscriptionChange {
        const pauseCollection = isPaused ? { behavior: 'void', resumesAt: null } : null;
        const changing = {
          status,
          cancelAtPeriodEnd,
          pauseCollection,
          tax: UNTAXED,
          endedAt: null,
          version: 1,
          metadata: {},
          testClockId: clockedFrom && at >= clockedFrom ? 'clock_1' : null,
        };
        const canceledAt = cancelAtPeriodEnd ? at : null;
        const cancellation = cancelAtPeriodEnd && reason ? { reason, comment: 'Bye.' } : null;
        const canceled = { canceledAt, cancellation, involuntary };
        const changes = { discounts: given, scheduledChange: null, pendingChange: null, ...canceled };
        const billed = items.map(item => ({ ...item, currency }));
        return {
          ...unchanging,
          ...changing,
          ...changes,
          items: billed,
          shown: [],
          observedAt: startedAt,
          updatedAt: startedAt,
        };
      }
    });
}

const LIVING = SUBSCRIPTION_STATUSES.filter(status => !hasEnded(status));

function eventType({ version, endedAt }: SubscriptionChange) {
  if (version === 1) return SubscriptionCreated;
  return endedAt ? SubscriptionCanceled : SubscriptionUpdated;
}

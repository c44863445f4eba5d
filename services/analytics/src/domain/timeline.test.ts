import { SHOWN_BY, type ShownBy } from '@billing/contracts/events/subscriptions';
import { SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { subscriptionContributions } from './contributions.ts';
import type { CountedSubscription } from './counted-subscription.ts';
import { lifetimeContributions } from './lifetimes.ts';
import { writeState, type Point } from './lived-state.ts';
import { combine, LIFETIME_METRIC } from './metrics.ts';
import { movementContributions } from './movements.ts';
import { timelineOf, type Lived } from './timeline.ts';

const STARTED_AT = new Date('2027-12-31T23:59:59.000Z');
const DAY = 86_400_000;
const on = (day: number, ms = 0) => new Date(STARTED_AT.getTime() + day * DAY + ms);

const itemOf = (amount: number, currency = 'usd') => ({
  processorProductId: 'prod_1',
  priceId: null,
  unitAmount: amount,
  unitAmountDecimal: `${amount}`,
  billingScheme: 'per_unit' as const,
  currency,
  interval: 'month' as const,
  intervalCount: 1,
  quantity: 1,
  transformQuantity: null,
  metered: false,
});

/** What was shown at a time: an amount in cents, by default as active. */
interface Shown {
  readonly at: Date;
  readonly amount: number;
  readonly status?: SubscriptionStatus;
  readonly currency?: string;
  readonly by?: ShownBy;
}

const toPoint = ({ at, amount, currency, status = 'active', by = SHOWN_BY.updated }: Shown): Point => ({
  at: at.getTime(),
  by,
  state: writeState(status, false, [itemOf(amount, currency)]),
});

/** A subscription of which this was shown; it is as the last one shows it unless it has ended. */
function subscription(points: readonly Shown[], endedAt: Date | null = null): Lived & CountedSubscription {
  const newest = points.at(-1) ?? { at: STARTED_AT, amount: 100 };
  return {
    customerId: 'pc_000000000000000000000001',
    pauseCollection: null,
    cancelAtPeriodEnd: false,
    canceledAt: null,
    cancellation: null,
    involuntary: false,
    discounts: [],
    status: endedAt ? 'canceled' : (newest.status ?? 'active'),
    items: [itemOf(newest.amount, newest.currency)],
    trialEnd: null,
    startedAt: STARTED_AT,
    endedAt,
    currentPeriodEnd: STARTED_AT,
    points: points.map(toPoint),
    observedAt: newest.at,
    createdAt: STARTED_AT,
    testClockId: null,
  };
}

/** The movements as `<reason> <day> <cents>`. */
const movements = (lived: Lived & CountedSubscription) =>
  movementContributions(timelineOf(lived)).map(
    ({ metric, bucket, amount }) => `${metric.split(':')[1]} ${bucket} ${amount / 12n}`,
  );

/** When it was active or trialing. */
const lifetimes = (lived: Lived & CountedSubscription) =>
  lifetimeContributions(timelineOf(lived))
    .filter(({ metric }) => /^(started|lapsed|ended)-exactly$/.test(metric))
    .map(({ metric, bucket }) => `${metric.replace('-exactly', '')} ${bucket.slice(0, 10)}`);

describe('the revenue of a subscription', () => {
  it('is new when it started, however late its first event is', () => {
    expect(movements(subscription([{ at: on(5), amount: 100 }]))).toEqual(['new 2027-12-31 100']);
  });

  it('grows and shrinks when events say so, in whatever order they came', () => {
    const points = [
      { at: on(61), amount: 120 },
      { at: on(0), amount: 100 },
      { at: on(60), amount: 150 },
    ];
    expect(movements({ ...subscription(points), items: [itemOf(120)] })).toEqual([
      'new 2027-12-31 100',
      'expansion 2028-02-29 50',
      'contraction 2028-03-01 -30',
    ]);
  });

  it('pauses while past due, and is reactivated with the whole amount', () => {
    const points = [
      { at: on(0), amount: 100 },
      { at: on(32), amount: 100, status: 'past_due' as const },
      { at: on(34), amount: 150 },
    ];
    expect(movements(subscription(points))).toEqual([
      'new 2027-12-31 100',
      'contraction 2028-02-01 -100',
      'reactivated 2028-02-03 150',
    ]);
    expect(lifetimes(subscription(points))).toEqual(['started 2027-12-31', 'started 2028-02-03', 'lapsed 2028-02-01']);
  });

  it('is not churned when it ended past due', () => {
    const points = [
      { at: on(0), amount: 100 },
      { at: on(10), amount: 100, status: 'past_due' as const },
    ];
    expect(movements(subscription(points, on(28)))).toEqual(['new 2027-12-31 100', 'contraction 2028-01-10 -100']);
    expect(lifetimes(subscription(points, on(28)))).toEqual(['started 2027-12-31', 'ended 2028-01-10']);
  });

  it('ends when the subscription ended, which cuts off what was shown later', () => {
    const points = [
      { at: on(0), amount: 100 },
      { at: on(50), amount: 300 },
    ];
    expect(movements(subscription(points, on(40)))).toEqual(['new 2027-12-31 100', 'churned 2028-02-09 -100']);
    expect(movements(subscription(points, on(-3)))).toEqual(['new 2027-12-31 100', 'churned 2027-12-31 -100']);
  });

  it('is presumed from the start to the end when only the end is known, but not of one that was never paid', () => {
    expect(movements(subscription([], on(60)))).toEqual(['new 2027-12-31 100', 'churned 2028-02-29 -100']);
    expect(movements({ ...subscription([], on(1)), status: 'incomplete_expired' })).toEqual([]);
    expect(movements(subscription([{ at: on(0), amount: 100, status: 'incomplete' }], on(1)))).toEqual([]);
  });

  it('does not change with an event that shows the same, nor when it moves to another currency at once', () => {
    const points = [0, 1, 2].map(day => ({ at: on(day), amount: 100 }));
    expect(timelineOf(subscription(points)).periods).toHaveLength(1);
    expect(movements(subscription([...points, { at: on(3), amount: 90, currency: 'eur' }]))).toEqual([
      'new 2027-12-31 100',
      'contraction 2028-01-03 -100',
      'new 2028-01-03 90',
    ]);
  });
});

describe('of states that were shown in one second', () => {
  const before = { at: on(0), amount: 100 };
  const after = { at: on(9), amount: 400 };
  const tie = [200, 100, 300].map(amount => ({ at: on(5), amount }));

  it('the newest record tells the last one', () => {
    for (const newest of tie) {
      const all = [before, ...tie.filter(other => other !== newest), newest];
      expect(timelineOf(subscription(all)).periods.at(-1)?.revenue[0]?.numerator).toBe(BigInt(newest.amount * 12));
    }
  });

  it('a change holds, not what was shown before, and it does not depend on the order', () => {
    const expected = ['new 2027-12-31 100', 'expansion 2028-01-05 200', 'expansion 2028-01-09 100'];
    expect(movements(subscription([before, ...tie, after]))).toEqual(expected);
    expect(movements(subscription([...tie.toReversed(), before, after]))).toEqual(expected);
  });

  it('an update follows the creation', () => {
    const created = { at: on(0), amount: 999, by: SHOWN_BY.created };
    expect(movements(subscription([created, before]))).toEqual(['new 2027-12-31 100']);
  });
});

describe('a reading of the processor', () => {
  const event = { at: on(0), amount: 100 };
  const reading = (at: Date, amount: number) => ({ at, amount, by: SHOWN_BY.reading });

  it('counts from its time until an event tells more', () => {
    expect(movements(subscription([event, reading(on(3), 200)]))).toEqual([
      'new 2027-12-31 100',
      'expansion 2028-01-03 100',
    ]);
  });

  it('adds nothing to an event that shows the same within a minute', () => {
    const points = [event, { at: on(3), amount: 200 }, { at: on(3, 1_000), amount: 300 }];
    const expected = movements(subscription(points));
    const read = [reading(on(3, -900), 200), reading(on(3, 30_000), 200), reading(on(3, 2_000), 300)];
    expect(movements({ ...subscription([...points, ...read]), items: [itemOf(300)] })).toEqual(expected);
  });

  it('settles a second before it', () => {
    const points = [event, { at: on(3), amount: 200 }, { at: on(3), amount: 300 }, reading(on(4), 200)];
    expect(movements(subscription(points))).toEqual(['new 2027-12-31 100', 'expansion 2028-01-03 100']);
  });

  it('settles with another one of the same time, whatever their order', () => {
    const events = [event, { at: on(3), amount: 200 }, { at: on(3), amount: 300 }];
    const readings = [reading(on(5), 200), reading(on(5), 300)];
    const record = subscription([...events, ...readings]);
    const turned = subscription([...events.toReversed(), ...readings.toReversed()]);
    expect(movements({ ...turned, items: record.items })).toEqual(movements(record));
  });

  it('shows what the record has since it was observed when no event does', () => {
    const record = { ...subscription([event]), items: [itemOf(500)], observedAt: on(7) };
    expect(movements(record)).toEqual(['new 2027-12-31 100', 'expansion 2028-01-07 400']);
  });
});

const point: fc.Arbitrary<Shown> = fc.record({
  // Few days, and seconds beside each other, so that many share one second.
  at: fc.tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom(0, 0, 0, 1_000, 61_000)).map(([day, ms]) => on(day, ms)),
  amount: fc.constantFrom(0, 100, 200, 300),
  status: fc.constantFrom(...SUBSCRIPTION_STATUSES.filter(status => !/canceled|expired/.test(status))),
  currency: fc.constantFrom('usd', 'usd', 'eur'),
  by: fc.constantFrom(SHOWN_BY.created, SHOWN_BY.updated, SHOWN_BY.updated, SHOWN_BY.reading),
});

const lives = fc
  .record({
    points: fc.array(point, { minLength: 1, maxLength: 12 }),
    endsOn: fc.option(fc.integer({ min: -1, max: 8 })),
    repeats: fc.array(fc.nat(11), { maxLength: 5 }),
  })
  .chain(({ points, endsOn, repeats }) => {
    const again = repeats.flatMap(index => points[index] ?? []);
    const all = [...points, ...again];
    return fc.record({
      life: fc.constant(subscription(points, endsOn === null ? null : on(endsOn))),
      shuffled: fc.shuffledSubarray(all, { minLength: all.length }),
    });
  });

it('counts the same for every order and repetition of what was shown', () => {
  fc.assert(
    fc.property(lives, ({ life, shuffled }) => {
      const expected = combine(subscriptionContributions(life));
      expect(inOrder({ ...life, points: shuffled.map(toPoint) })).toEqual(inOrder(life));
      // All movements together are the revenue that is left.
      const sum = (prefix: string) =>
        expected.filter(({ metric }) => metric.startsWith(prefix)).reduce((all, { amount }) => all + amount, 0n);
      expect(sum('movement:')).toBe(sum('revenue:'));
      // It never ends more often than it starts.
      expect(sum(LIFETIME_METRIC.started.exact) - sum('ongoing')).toBe(
        sum(LIFETIME_METRIC.lapsed.exact) + sum(LIFETIME_METRIC.ended.exact),
      );
    }),
    { numRuns: runs(3_000) },
  );
});

const inOrder = (lived: Lived & CountedSubscription) =>
  combine(subscriptionContributions(lived))
    .map(({ metric, bucket, amount }) => `${metric} ${bucket} ${amount}`)
    .toSorted();

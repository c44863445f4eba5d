import { SHOWN_BY, type ShownBy, type ShownState } from '@billing/contracts/events/subscriptions';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CountedSubscription } from './counted-subscription.ts';
import type { Point } from './lived-state.ts';
import { combine, type Contribution } from './metrics.ts';
import { subscriptionRecord, type RecordState } from './record-state.ts';
import { countState, isNewer, needsAllPoints, type CountedState } from './tracked-record.ts';

const STARTED_AT = new Date('2027-12-31T23:40:00.000Z');
const MINUTE = 60_000;
const after = (minutes: number, ms = 0) => new Date(STARTED_AT.getTime() + minutes * MINUTE + ms);

const itemOf = (unitAmount: number, currency: string) => ({
  processorProductId: 'prod_1',
  priceId: null,
  unitAmount,
  unitAmountDecimal: null,
  billingScheme: 'per_unit' as const,
  currency,
  interval: 'month' as const,
  intervalCount: 1,
  quantity: 1,
  transformQuantity: null,
  metered: false,
});

const STEADY: CountedSubscription = {
  customerId: 'pc_000000000000000000000001',
  status: 'active',
  pauseCollection: null,
  cancelAtPeriodEnd: false,
  canceledAt: null,
  cancellation: null,
  involuntary: false,
  startedAt: STARTED_AT,
  endedAt: null,
  currentPeriodEnd: after(30),
  trialEnd: null,
  discounts: [],
  items: [itemOf(100, 'usd')],
  observedAt: STARTED_AT,
  createdAt: STARTED_AT,
  testClockId: null,
};

/** What becomes known of a subscription at once, with its newest state then. */
interface Batch {
  readonly state: CountedSubscription;
  readonly version: number;
  readonly shown: readonly ShownState[];
}

const toRecord = ({ state, version, shown }: Batch): RecordState =>
  subscriptionRecord(
    { teamId: 'team_000000000000000000000001', recordedAt: STARTED_AT },
    {
      ...state,
      id: 'ps_000000000000000000000001',
      projectId: 'proj_000000000000000000000001',
      version,
      shown: [...shown],
    },
  );

/** Counts batches one after the other, with all points of the table where they are needed. */
function count(batches: readonly Batch[]) {
  let counted: CountedState | undefined;
  let [newest] = batches.map(toRecord);
  const points: Point[] = [];
  const deltas: Contribution[] = [];
  const times = { countedOn: 0, recounted: 0 };
  for (const given of batches.map(toRecord)) {
    points.push(...given.shown);
    newest = !newest || isNewer(counted, given) ? given : newest;
    const recounts = needsAllPoints(counted, given);
    const { state, delta } = countState(counted, given, recounts ? points : undefined);
    times.recounted += Number(recounts);
    times.countedOn += Number(!recounts && state.recent !== null && state.recent.length < points.length);
    deltas.push(...delta);
    counted = state;
  }
  return { counted, sums: deltas, atOnce: newest?.contributions(points) ?? [], times };
}

const inOrder = (contributions: readonly Contribution[] = []) =>
  combine(contributions)
    .map(({ metric, bucket, amount }) => `${metric} ${bucket} ${amount}`)
    .toSorted();

const mostly = <Value>(value: fc.Arbitrary<Value>, other: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 9, arbitrary: value }, other);

const someItems = fc
  .record({ amount: fc.constantFrom(0, 100, 200), currency: fc.constantFrom('usd', 'usd', 'usd', 'eur') })
  .map(({ amount, currency }) => [itemOf(amount, currency)]);

/** Many in little time, so that they share seconds. */
const shownState: fc.Arbitrary<ShownState> = fc.record({
  at: fc.tuple(fc.integer({ min: 0, max: 60 }), fc.constantFrom(0, 0, 0, 1, 1_000, 30_000)).map(time => after(...time)),
  by: mostly<ShownBy>(fc.constant(SHOWN_BY.updated), fc.constantFrom(SHOWN_BY.created, SHOWN_BY.reading)),
  status: fc.constantFrom('active' as const, 'active' as const, 'trialing' as const, 'past_due' as const),
  hasTrial: fc.boolean(),
  items: someItems,
});

/** States, some of them with a reading of about the same time that shows the same. */
const shownStates = fc
  .array(
    fc.record({
      point: shownState,
      readAfter: fc.option(fc.constantFrom(-60_001, -60_000, -30_000, -1, 0, 30_000, 60_000)),
    }),
    { maxLength: 40, size: 'max' },
  )
  .map(all =>
    all.flatMap(({ point, readAfter }): ShownState[] =>
      readAfter === null
        ? [point]
        : [point, { ...point, by: SHOWN_BY.reading, at: new Date(point.at.getTime() + readAfter) }],
    ),
  );

const minute = fc.integer({ min: 0, max: 70 }).map(minutes => after(minutes));

const state: fc.Arbitrary<CountedSubscription> = fc
  .record({
    status: fc.constantFrom('active', 'active', 'trialing', 'past_due', 'paused', 'canceled', 'incomplete_expired'),
    items: someItems,
    trialEnd: fc.option(minute),
    startedAt: mostly(fc.constant(STARTED_AT), fc.constant(after(7))),
    end: minute,
    observedAt: minute,
    testClockId: mostly(fc.constant(null), fc.constant('clock_1')),
  })
  .map(({ end, ...given }) => ({ ...STEADY, ...given, endedAt: /canceled|expired/.test(given.status) ? end : null }));

/** In the order of time but for some that are late, or in any order; some again; an end comes early or late. */
const histories = fc
  .record({
    shown: shownStates,
    isInOrder: fc.constantFrom(true, true, true, false),
    late: fc.array(fc.nat(39), { maxLength: 3 }),
    repeats: fc.array(fc.nat(39), { maxLength: 3 }),
    states: fc.array(state, { minLength: 1, maxLength: 3 }),
    changes: fc.infiniteStream(fc.nat(29)),
    size: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ shown, isInOrder, late, repeats, states, changes, size }): Batch[] => {
    const times = isInOrder ? shown.toSorted((one, other) => one.at.getTime() - other.at.getTime()) : shown;
    const all = [...times.filter((_, index) => !late.includes(index)), ...late.flatMap(index => times[index] ?? [])];
    for (const index of repeats) all.splice((index * 7) % (all.length + 1), 0, ...all.slice(index, index + 1));
    let [current = STEADY] = states;
    return Array.from({ length: Math.ceil(all.length / size) + 1 }, (_, index) => {
      const change = changes.next().value ?? 0;
      current = states[change] ?? current;
      // Some come after newer ones.
      const version = 2 * index + (change % 10 === 5 ? 20 : 1);
      return { state: current, version, shown: all.slice(index * size, (index + 1) * size) };
    });
  });

describe('the recent points of a subscription', () => {
  it('lead to the same figures as all points, in any order and grouping', () => {
    const times = { countedOn: 0, recounted: 0 };
    fc.assert(
      fc.property(histories, batches => {
        const { counted, sums, atOnce, times: ofBatches } = count(batches);
        expect(inOrder(sums)).toEqual(inOrder(atOnce));
        expect(inOrder(counted?.contributions)).toEqual(inOrder(atOnce));
        times.countedOn += ofBatches.countedOn;
        times.recounted += ofBatches.recounted;
      }),
      { numRuns: runs(2_000), endOnFailure: true },
    );
    // Of all runs together: the property says nothing if one of them is rare.
    expect(Math.min(times.countedOn, times.recounted)).toBeGreaterThan(500);
  });

  it('are few, however many there were before, and are all that a later point needs', () => {
    const shownAt = (minutes: number): ShownState => {
      const items = [itemOf(minutes, 'usd')];
      return { at: after(minutes), by: SHOWN_BY.updated, status: 'active', hasTrial: false, items };
    };
    const batchAt = (minutes: number, version: number): Batch => {
      return { state: { ...STEADY, items: [itemOf(minutes, 'usd')] }, version, shown: [shownAt(minutes)] };
    };
    const batches = Array.from({ length: 500 }, (_, index) => batchAt(index, index + 1));
    const { counted } = count(batches);
    expect(counted?.recent?.length).toBeLessThan(5);
    expect(needsAllPoints(counted, toRecord(batchAt(500, 501)))).toBe(false);
    expect(needsAllPoints(counted, toRecord(batchAt(498, 501)))).toBe(true);
  });
});

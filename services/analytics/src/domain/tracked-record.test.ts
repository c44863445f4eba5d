import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CountedSubscription } from './contributions.ts';
import { combine, type Contribution } from './metrics.ts';
import { observeSubscription } from './observation.ts';
import { mergeRevenuePeriods, type RevenuePeriod } from './revenue-periods.ts';
import { countObservation, type CountedState } from './tracked-record.ts';

const HOUR = 3_600_000;
const STARTED_AT = new Date('2027-12-31T20:00:00.000Z');

const item = fc.record({
  unitAmount: fc.constantFrom(0, 100, 200),
  unitAmountDecimal: fc.constant(null),
  billingScheme: fc.constant('per_unit' as const),
  transformQuantity: fc.constant(null),
  currency: fc.constantFrom('usd', 'eur'),
  interval: fc.constant('month' as const),
  intervalCount: fc.constantFrom(1, 2),
  quantity: fc.constantFrom(1, 2),
  metered: fc.constant(false),
});

/** Versions of a subscription in order. */
const history = fc
  .array(
    fc.record({
      status: fc.constantFrom('trialing' as const, 'active' as const, 'past_due' as const, 'canceled' as const),
      items: fc.array(item, { maxLength: 3 }),
      hours: fc.integer({ min: 0, max: 30 }),
    }),
    { minLength: 1, maxLength: 10 },
  )
  .map(versions => versions.map(({ status, items, hours }, index) => observed(index + 1, { status, items }, hours)));

function observed(version: number, state: Pick<CountedSubscription, 'status' | 'items'>, hours: number) {
  const at = new Date(STARTED_AT.getTime() + version * HOUR + hours * HOUR);
  const times = { startedAt: STARTED_AT, currentPeriodEnd: at, endedAt: state.status === 'canceled' ? at : null };
  const subscription: CountedSubscription = {
    id: 'ps_000000000000000000000001',
    projectId: 'proj_000000000000000000000001',
    customerId: 'pc_000000000000000000000001',
    pauseCollection: null,
    trialEnd: new Date(STARTED_AT.getTime() + 5 * HOUR),
    createdAt: STARTED_AT,
    version,
    ...state,
    ...times,
  };
  return observeSubscription({ teamId: 'team_000000000000000000000001', recordedAt: at }, subscription);
}

it('counts the same whether versions continue the counted ones or all are counted at once', () => {
  fc.assert(
    fc.property(history, versions => {
      let counted: CountedState | undefined;
      let stored: readonly RevenuePeriod[] = [];
      let metrics: readonly Contribution[] = [];
      for (const newest of versions) {
        // After an end all periods are counted at once.
        const continueCounted = stored.at(-1)?.endedAt === null;
        const kept = continueCounted ? stored.slice(0, -1) : [];
        const versionsOf = newest.revenuePeriod ? [newest.revenuePeriod] : [];
        const periods = mergeRevenuePeriods(stored.slice(kept.length), versionsOf);
        const change = countObservation(counted, newest, { periods, continueCounted });
        counted = change?.state;
        stored = [...kept, ...periods];
        metrics = combine([...metrics, ...(change?.delta ?? [])]);
      }
      const all = mergeRevenuePeriods(
        [],
        versions.map(({ revenuePeriod }) => revenuePeriod).filter(period => period !== null),
      );
      expect(stored).toEqual(all);
      const newest = versions.at(-1);
      const atOnce = newest && countObservation(undefined, newest, { periods: all, continueCounted: false });
      expect(inOrder(counted?.contributions)).toEqual(inOrder(atOnce?.state.contributions));
      expect(inOrder(metrics)).toEqual(inOrder(atOnce?.state.contributions));
    }),
    { numRuns: 500 },
  );
});

const inOrder = (contributions: readonly Contribution[] = []) =>
  contributions.map(({ metric, bucket, amount }) => `${metric} ${bucket} ${amount}`).toSorted();

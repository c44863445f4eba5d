import type { Envelope } from '@billing/contracts/event';
import { ProjectCreated, ProjectUpdated } from '@billing/contracts/events/gateway';
import type { ProjectScope } from '@billing/contracts/ids';
import { MOVEMENT_METRICS, type AnalyticsDay } from '@billing/contracts/resources/analytics';
import { newEvent } from '@billing/testing/events';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { disorder, moveToProject, projectHistory } from './histories/project-history.ts';
import { lookback } from './histories/times.ts';
import {
  canceledBetween,
  exclusionReason,
  expectedAnalytics,
  expectedCancellations,
  expectedSubscriptions,
  isDiscountedWorthOf,
  isTextOf,
  isWorthOf,
  roundedTexts,
  trialsBetween,
  type ProjectRecords,
} from './reference-model.ts';
import { expectedEarning, expectedHistory, expectedMoved, expectedTotals } from './reference-movements.ts';
import { newScope, startAnalytics, type AnalyticsService } from './start-analytics.ts';
import { project } from './states.ts';

let service: AnalyticsService;
beforeAll(async () => (service = await startAnalytics()));
afterAll(async () => service[Symbol.asyncDispose]());

const cases = lookback.chain(window =>
  projectHistory(window).chain(({ events, records }) =>
    fc
      .record({
        delivered: disorder(events),
        baseCurrency: fc.constantFrom('usd', 'eur', 'gbp'),
        step: fc.integer({ min: 1, max: 40 }),
      })
      .map(given => ({
        ...window,
        ...given,
        records,
      })),
  ),
);

it('equals a recomputation from the records for any history, order and repetition of events', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ now, growthDays, records, delivered, baseCurrency, step }) => {
      const scope = newScope();
      const events = [...projectEvents(scope, baseCurrency), ...moveToProject(scope, delivered)];
      service.setNow(now);
      await service.emit(...events);
      const { asOf, ...metrics } = await service.analytics(scope, growthDays);
      expect(metrics).toEqual(expectedAnalytics(records, baseCurrency, now, growthDays));
      expect(asOf).toEqual(newestTime(events));
      await expectSubscriptions(scope, { records, baseCurrency, now, growthDays });
      await expectCancellations(scope, { records, baseCurrency, now, growthDays });
      // A window that does not start at midnight touches one more day.
      const days = Math.min(growthDays + 1, 365);
      const { history, currency, totals } = await service.history(scope, days);
      expect(currency).toBe(baseCurrency);
      expect(history).toEqual(expectedHistory(records, baseCurrency, now, days));
      expect(totals).toEqual(expectedTotals(records, baseCurrency, now, days));
      const steps = (await service.history(scope, days, step)).history;
      expect(steps).toEqual(expectedHistory(records, baseCurrency, now, days, step));
      await expectMoved(scope, { records, baseCurrency, now, growthDays: Math.min(growthDays, 365) }, steps);
    }),
    { numRuns: runs(40), endOnFailure: true },
  );
});

interface Given {
  readonly records: ProjectRecords;
  readonly baseCurrency: string;
  readonly now: Date;
  readonly growthDays: number;
}

/** The lists of subscriptions contain exactly those behind each metric, and add up to it. */
async function expectSubscriptions(scope: ProjectScope, { records, baseCurrency, now, growthDays }: Given) {
  const expected = expectedSubscriptions(records, baseCurrency, now, growthDays);
  const { mrr, mrrDiscounted, mrrExcluded, churnRate, trialConversion } = await service.analytics(scope, growthDays);
  const excluded = Object.values(mrrExcluded).reduce((sum, count) => sum + count, 0);
  const totals = { mrr, excluded, churn: churnRate, trialConversion: trialConversion.rate };
  const start = new Date(now.getTime() - growthDays * 86_400_000);
  const trials = trialsBetween(records, start, now);
  for (const metric of ['mrr', 'excluded', 'churn', 'trialConversion'] as const) {
    const { subscriptions, total, pagination } = await service.subscriptions(scope, metric, growthDays, 2);
    expect({ total, count: pagination.total }).toEqual({ total: totals[metric], count: expected[metric].length });
    expect(subscriptions.map(({ amount: _amount, ...shown }) => shown)).toEqual(
      expected[metric].map(state => ({
        subscriptionId: state.id,
        customerId: state.customerId,
        status: state.status,
        currency: state.items[0]?.currency ?? baseCurrency,
        cancellation: null,
        reason: metric === 'excluded' ? exclusionReason(state, baseCurrency) : null,
        converted:
          metric === 'trialConversion' ? trials.some(trial => trial.state === state && trial.isConverted) : null,
      })),
    );
    const amounts = subscriptions.map(({ amount }) => amount);
    expect(expected[metric].map((state, index) => isWorthOf(state, amounts[index] ?? ''))).not.toContain(false);
    totals.mrr = metric === 'mrr' ? roundedTexts(amounts) : totals.mrr;
  }
  // The amounts behind `mrr` add up to it.
  expect(totals.mrr).toBe(mrr);
  const { subscriptions, total } = await service.subscriptions(scope, 'mrrDiscounted', growthDays, 2);
  const amounts = subscriptions.map(({ amount }) => amount);
  expect(expected.mrr.map((state, index) => isDiscountedWorthOf(state, amounts[index] ?? '', now))).not.toContain(
    false,
  );
  expect([total, roundedTexts(amounts)]).toEqual([mrrDiscounted, mrrDiscounted]);
}

/** The cancellations are counted by their reason, and each count has exactly its subscriptions. */
async function expectCancellations(scope: ProjectScope, { records, now, growthDays }: Given) {
  const counts = await service.cancellations(scope, growthDays);
  expect(counts).toEqual(expectedCancellations(records, now, growthDays));
  const canceled = canceledBetween(records, now, growthDays);
  const all = await service.subscriptions(scope, 'cancellations', growthDays, 2);
  expect([all.total, all.pagination.total]).toEqual([canceled.length, canceled.length]);
  expect(all.subscriptions.map(({ subscriptionId, cancellation }) => [subscriptionId, cancellation])).toEqual(
    canceled.map(({ id, cancellation }) => [id, cancellation]),
  );
  for (const { reason, count } of counts) {
    const only = { reason: reason ?? 'none' } as const;
    const { subscriptions, total } = await service.subscriptions(scope, 'cancellations', growthDays, 2, only);
    expect([total, subscriptions.length]).toEqual([count, count]);
    expect(subscriptions.every(({ cancellation }) => (cancellation?.reason ?? null) === reason)).toBe(true);
  }
}

/** The lists of movements have exactly the subscriptions of some days with their parts, which add up to the movement. */
async function expectMoved(
  scope: ProjectScope,
  { records, baseCurrency, now, growthDays }: Given,
  steps: readonly AnalyticsDay[],
) {
  const busiest = steps.toSorted((one, other) => movedIn(other) - movedIn(one))[0];
  if (!busiest) throw new Error('The history has no entry.');
  const window = (await service.history(scope, growthDays)).history;
  const whole = { from: window[0]?.from ?? '', to: window.at(-1)?.date ?? '' };
  const earning = expectedEarning(records, baseCurrency, now, busiest.date);
  const { subscriptions: parts, total: mrr } = await service.subscriptions(scope, 'mrr', 30, 2, { to: busiest.date });
  const withRevenue = parts.filter(({ amount }) => /[1-9]/.test(amount));
  expect(withRevenue.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual([...earning.keys()].toSorted());
  expect([mrr, roundedTexts(parts.map(({ amount }) => amount))]).toEqual([busiest.mrr, busiest.mrr]);
  for (const { subscriptionId, amount } of withRevenue)
    expect(isTextOf(earning.get(subscriptionId) ?? { numerator: -1n, denominator: 1n }, amount)).toBe(true);
  for (const metric of MOVEMENT_METRICS) {
    const totals = (await service.history(scope, growthDays)).totals;
    const lists = [
      { days: whole, listed: await service.subscriptions(scope, metric, growthDays, 2), figure: totals[metric] },
      {
        days: { from: busiest.from, to: busiest.date },
        listed: await service.subscriptions(scope, metric, 30, 2, { from: busiest.from, to: busiest.date }),
        figure: busiest[metric],
      },
    ];
    for (const { days, listed, figure } of lists) {
      const expected = expectedMoved(records, baseCurrency, now, { metric, ...days });
      const { subscriptions, total, pagination } = listed;
      expect(subscriptions.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(
        [...expected.keys()].toSorted(),
      );
      expect([total, pagination.total]).toEqual([figure, expected.size]);
      expect(roundedTexts(subscriptions.map(({ amount }) => amount))).toBe(figure);
      for (const { subscriptionId, amount } of subscriptions)
        expect(isTextOf(expected.get(subscriptionId) ?? { numerator: -1n, denominator: 1n }, amount)).toBe(true);
    }
  }
}

const movedIn = ({ newMrr, expansionMrr, reactivatedMrr, contractionMrr, churnedMrr }: AnalyticsDay) =>
  [newMrr, expansionMrr, reactivatedMrr, contractionMrr, churnedMrr].filter(amount => amount > 0).length;

/** The events of the project itself, the newer one first. */
function projectEvents(scope: ProjectScope, baseCurrency: string): Envelope[] {
  const longAgo = new Date('2025-01-01');
  return [
    newEvent(ProjectUpdated, scope.teamId, { ...project(scope), baseCurrency, version: 2 }, longAgo),
    newEvent(ProjectCreated, scope.teamId, { ...project(scope), baseCurrency: 'chf', version: 1 }, longAgo),
  ];
}

/** When the newest event occurred. */
function newestTime(events: readonly Envelope[]): Date | undefined {
  return events.map(event => event.occurredAt).toSorted((a, b) => b.getTime() - a.getTime())[0];
}

import type { Envelope } from '@billing/contracts/event';
import { ProjectCreated, ProjectUpdated } from '@billing/contracts/events/gateway';
import type { ProjectScope } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { disorder, moveToProject, projectHistory } from './histories/project-history.ts';
import { lookback } from './histories/times.ts';
import {
  exclusionReason,
  expectedAnalytics,
  expectedHistory,
  expectedSubscriptions,
  isWorthOf,
  roundedTexts,
  type ProjectRecords,
} from './reference-model.ts';
import { newScope, startAnalytics, type AnalyticsService } from './start-analytics.ts';
import { statesIn } from './state-owners.ts';
import { project } from './states.ts';

let service: AnalyticsService;
beforeAll(async () => (service = await startAnalytics()));
afterAll(async () => service[Symbol.asyncDispose]());

const cases = lookback.chain(window =>
  projectHistory(window).chain(({ events, records }) =>
    fc.record({ delivered: disorder(events), baseCurrency: fc.constantFrom('usd', 'eur', 'gbp') }).map(given => ({
      ...window,
      ...given,
      records,
    })),
  ),
);

it('equals a recomputation from the records for any history, order and repetition of events', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ now, growthDays, records, delivered, baseCurrency }) => {
      const scope = newScope();
      const events = [...projectEvents(scope, baseCurrency), ...moveToProject(scope, delivered)];
      service.setNow(now);
      await service.emit(...events);
      const { asOf, ...metrics } = await service.analytics(scope, growthDays);
      expect(metrics).toEqual(expectedAnalytics(records, baseCurrency, now, growthDays));
      expect(asOf).toEqual(newestTime(events));
      await expectSubscriptions(scope, { records, baseCurrency, now, growthDays });
      // A window that does not start at midnight touches one more day.
      const days = Math.min(growthDays + 1, 365);
      const { history, currency } = await service.history(scope, days);
      expect(currency).toBe(baseCurrency);
      expect(history).toEqual(expectedHistory(records, baseCurrency, now, days));
    }),
    { numRuns: 40, endOnFailure: true },
  );
}, 400_000);

interface Given {
  readonly records: ProjectRecords;
  readonly baseCurrency: string;
  readonly now: Date;
  readonly growthDays: number;
}

/** The lists of subscriptions contain exactly those behind each metric, and add up to it. */
async function expectSubscriptions(scope: ProjectScope, { records, baseCurrency, now, growthDays }: Given) {
  const expected = expectedSubscriptions(records, baseCurrency, now, growthDays);
  const { mrr, mrrExcluded, churnRate } = await service.analytics(scope, growthDays);
  const excluded = Object.values(mrrExcluded).reduce((sum, count) => sum + count, 0);
  const totals = { mrr, excluded, churn: churnRate };
  for (const metric of ['mrr', 'excluded', 'churn'] as const) {
    const { subscriptions, total, pagination } = await service.subscriptions(scope, metric, growthDays, 2);
    expect({ total, count: pagination.total }).toEqual({ total: totals[metric], count: expected[metric].length });
    expect(subscriptions.map(({ amount: _amount, ...shown }) => shown)).toEqual(
      expected[metric].map(state => ({
        subscriptionId: state.id,
        customerId: state.customerId,
        status: state.status,
        currency: state.items[0]?.currency ?? baseCurrency,
        reason: metric === 'excluded' ? exclusionReason(state, baseCurrency) : null,
      })),
    );
    const amounts = subscriptions.map(({ amount }) => amount);
    expect(expected[metric].map((state, index) => isWorthOf(state, amounts[index] ?? ''))).not.toContain(false);
    totals.mrr = metric === 'mrr' ? roundedTexts(amounts) : totals.mrr;
  }
  // The amounts behind `mrr` add up to it.
  expect(totals.mrr).toBe(mrr);
}

/** The events of the project itself, the newer one first. */
function projectEvents(scope: ProjectScope, baseCurrency: string): Envelope[] {
  const longAgo = new Date('2025-01-01');
  return [
    newEvent(ProjectUpdated, scope.teamId, { ...project(scope), baseCurrency, version: 2 }, longAgo),
    newEvent(ProjectCreated, scope.teamId, { ...project(scope), baseCurrency: 'chf', version: 1 }, longAgo),
  ];
}

/** When the newest event that concerns a project occurred. */
function newestTime(events: readonly Envelope[]): Date | undefined {
  // Only unrouted webhook events have no project.
  const ofProject = events.filter(({ data }) => statesIn(data).some(state => Object(state).projectId !== null));
  return ofProject.map(event => event.occurredAt).toSorted((a, b) => b.getTime() - a.getTime())[0];
}

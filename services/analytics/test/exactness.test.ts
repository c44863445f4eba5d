import { ProjectCreated, ProjectUpdated } from '@billing/contracts/events/gateway';
import type { ProjectScope } from '@billing/contracts/ids';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { disordered, historyOf, lookback, movedTo } from './histories.ts';
import { statesIn } from './owners.ts';
import { newScope, saidFact, startService, type SaidFact, type Service } from './service.ts';
import { slowAnalytics, slowHistory } from './slow-model.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
afterAll(async () => service[Symbol.asyncDispose]());

const cases = lookback.chain(around =>
  historyOf(around).chain(({ facts, rows }) =>
    fc.record({ delivered: disordered(facts), baseCurrency: fc.constantFrom('usd', 'eur', 'gbp') }).map(given => ({
      ...around,
      ...given,
      rows,
    })),
  ),
);

it('answers what a recomputation from the sources would, for any history in any order, doubled and replayed', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ now, growthDays, rows, delivered, baseCurrency }) => {
      const scope = newScope();
      const facts = [...projectFacts(scope, baseCurrency), ...movedTo(scope, delivered)];
      service.setClock(now);
      await service.hear(facts);
      const { asOf, ...figures } = await service.analytics(scope, growthDays);
      expect(figures).toEqual(slowAnalytics(rows, baseCurrency, now, growthDays));
      expect(asOf).toEqual(newestOf(facts));
      // The window's first day is one more where its start is not midnight.
      const days = Math.min(growthDays + 1, 365);
      const { history, currency } = await service.history(scope, days);
      expect(currency).toBe(baseCurrency);
      expect(history).toEqual(slowHistory(rows, baseCurrency, now, days));
    }),
    { numRuns: 40, endOnFailure: true },
  );
}, 400_000);

/** The project's own facts, the newer one first. */
function projectFacts({ teamId, projectId }: ProjectScope, baseCurrency: string): SaidFact[] {
  const state = { id: projectId, teamId, name: 'Shop', createdAt: new Date('2025-01-01') };
  const longAgo = new Date('2025-01-01');
  return [
    saidFact(ProjectUpdated, teamId, { ...state, baseCurrency, version: 2 }, longAgo),
    saidFact(ProjectCreated, teamId, { ...state, baseCurrency: 'chf', version: 1 }, longAgo),
  ];
}

/** When the newest of the facts that concern a project happened. */
function newestOf(facts: readonly SaidFact[]): Date | undefined {
  // Only unrouted webhook events say that they are of no project.
  const concerning = facts.filter(({ data }) => statesIn(data).some(state => Object(state).projectId !== null));
  return concerning.map(fact => fact.occurredAt).toSorted((a, b) => b.getTime() - a.getTime())[0];
}

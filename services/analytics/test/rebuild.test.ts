import { AuditRecorded } from '@billing/contracts/events/audit';
import type { Envelope } from '@billing/contracts/event';
import { CustomerCreated } from '@billing/contracts/events/customers';
import { ProjectCreated } from '@billing/contracts/events/gateway';
import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import type { ProjectScope } from '@billing/contracts/ids';
import { conflict } from '@billing/contracts/problem';
import { newEvent } from '@billing/testing/events';
import { waitFor } from '@billing/testing/wait-for';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MOVEMENT_PREFIX } from '#domain/metrics.ts';
import { rebuildLock } from '#persistence/rebuild-lock.ts';
import { rebuildProject } from '../src/rebuild/rebuild-project.ts';
import { disorder, moveToProject, projectHistory } from './histories/project-history.ts';
import { lookback } from './histories/times.ts';
import { expectedAnalytics, expectedCancellations } from './reference-model.ts';
import { expectedHistory } from './reference-movements.ts';
import { newScope, startAnalytics, type AnalyticsService } from './start-analytics.ts';
import { serveOwners } from './state-owners.ts';
import { customer, project, subscription } from './states.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');

let service: AnalyticsService;
beforeAll(async () => (service = await startAnalytics()));
afterAll(async () => service[Symbol.asyncDispose]());

const cases = lookback.chain(window =>
  projectHistory(window).chain(({ events, records }) =>
    fc.record({ delivered: disorder(events), processedBefore: fc.nat(events.length) }).map(given => ({
      ...window,
      ...given,
      records,
    })),
  ),
);

it('equals a recomputation while events keep coming, and stays equal when repeated', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ now, growthDays, records, delivered, processedBefore }) => {
      const scope = newScope();
      const events = [projectCreated(scope), ...moveToProject(scope, delivered)];
      await using resources = new AsyncDisposableStack();
      resources.use(await serveOwners(service, events, { pageSize: 2 }));
      service.setNow(now);
      await service.emit(...events.slice(0, processedBefore + 1));
      await Promise.all([rebuild(scope), service.emit(...events.slice(processedBefore + 1))]);
      const { asOf, ...metrics } = await service.analytics(scope, growthDays);
      expect(metrics).toEqual(expectedAnalytics(records, 'usd', now, growthDays));
      expect(await service.cancellations(scope, growthDays)).toEqual(expectedCancellations(records, now, growthDays));
      const { history } = await service.history(scope, 365);
      expect(history).toEqual(expectedHistory(records, 'usd', now, 365));

      const before = await currentMetrics(scope);
      const movements = await currentMovements(scope);
      expect(movements).toEqual(before.filter(({ metric }) => metric.startsWith(MOVEMENT_PREFIX)));
      await rebuild(scope);
      expect(await currentMetrics(scope)).toEqual(before);
      expect(await currentMovements(scope)).toEqual(movements);
      expect((await service.analytics(scope, growthDays)).asOf).toEqual(asOf);
      expect(await rowsOfOtherGenerations(scope)).toBe(0);
    }),
    { numRuns: runs(15), endOnFailure: true },
  );
});

it('repairs lost and corrupt metrics, and includes records without an event', async () => {
  service.setNow(NOW);
  const scope = newScope();
  const processed = someEvents(scope, 5);
  const missed = newEvent(CustomerCreated, scope.teamId, customer(scope), new Date('2026-11-20T12:30:00.000Z'));
  await using resources = new AsyncDisposableStack();
  resources.use(await serveOwners(service, [...processed, missed], { pageSize: 2 }));
  await service.emit(...processed);
  const before = await service.analytics(scope);
  await corrupt(scope);
  expect(await service.analytics(scope)).not.toEqual(before);
  await rebuild(scope);
  const today = { date: '2026-11-20', count: before.customerCount + 1 };
  expect(await service.analytics(scope)).toEqual({
    ...before,
    customerCount: today.count,
    customerGrowth: [...before.customerGrowth.slice(0, -1), today],
    asOf: new Date('2026-11-20T12:30:00.003Z'),
  });
});

it('serves the former metrics until it is done or dies, and starts over the next time', async () => {
  service.setNow(NOW);
  const scope = newScope();
  const events = someEvents(scope, 7);
  await service.emit(...events);
  const before = await service.analytics(scope);
  {
    const served: unknown[] = [];
    const beforeReply = async () => {
      served.push(await service.analytics(scope));
      if (served.length === 4) throw conflict('broken', 'The owner is broken.');
    };
    await using resources = new AsyncDisposableStack();
    resources.use(await serveOwners(service, events, { pageSize: 2, beforeReply }));
    await expect(rebuild(scope)).rejects.toThrow('The owner is broken.');
    expect(served).toEqual([before, before, before, before]);
  }
  expect(await service.analytics(scope)).toEqual(before);
  expect(await rowsOfOtherGenerations(scope)).toBeGreaterThan(0);
  const later = someEvents(scope, 3);
  await using resources = new AsyncDisposableStack();
  resources.use(await serveOwners(service, [...events, ...later], { pageSize: 2 }));
  await service.emit(...later);
  await rebuild(scope);
  expect(await rowsOfOtherGenerations(scope)).toBe(0);
  expect(await service.analytics(scope)).toMatchObject({ customerCount: 10, mrr: 10 * 2_999 });
});

it('waits for another rebuild of the same project', async () => {
  service.setNow(NOW);
  const scope = newScope();
  const events = someEvents(scope, 6);
  await service.emit(...events);
  const before = await service.analytics(scope);
  let waiting = 0;
  // Keeps the first rebuild going until the second one waits for it.
  const beforeReply = async () => void (await waitFor(() => waiting === 1, { what: 'the second rebuild to wait' }));
  await using resources = new AsyncDisposableStack();
  resources.use(await serveOwners(service, events, { pageSize: 1, beforeReply }));
  await Promise.all([rebuild(scope, () => (waiting += 1)), rebuild(scope, () => (waiting += 1))]);
  expect(waiting).toBe(1);
  expect(await service.analytics(scope)).toEqual(before);
  expect(await rowsOfOtherGenerations(scope)).toBe(0);
});

it('is replaced by a later rebuild if the lock was lost', async () => {
  service.setNow(NOW);
  const scope = newScope();
  const events = someEvents(scope, 6);
  await service.emit(...events);
  const before = await service.analytics(scope);
  const unlocked = {
    ...dependencies(),
    withRebuildLock: <Result>(_scope: ProjectScope, work: () => Promise<Result>) => work(),
  };
  let second: Promise<void> | undefined;
  let replies = 0;
  const beforeReply = async () => {
    replies += 1;
    second ??= rebuildProject(unlocked)(project(scope));
    await waitFor(() => replies > 1, { what: 'the second rebuild to read a page' });
  };
  await using resources = new AsyncDisposableStack();
  resources.use(await serveOwners(service, events, { pageSize: 2, beforeReply }));
  await expect(rebuildProject(unlocked)(project(scope))).rejects.toThrow('Another rebuild');
  await second;
  expect(await service.analytics(scope)).toEqual(before);
});

it('is recorded in the audit log when an operator requested it', async () => {
  const scope = newScope();
  const events = someEvents(scope, 2);
  await service.emit(...events);
  await using resources = new AsyncDisposableStack();
  resources.use(await serveOwners(service, events, { pageSize: 2 }));
  await rebuild(scope);
  const recorded = async () => (await service.published(AuditRecorded)).map(({ data }) => data);
  expect(await recorded()).toEqual([]);
  await rebuildProject({ ...dependencies(), audit: { outbox: service.outbox, requestId: 'a-run' } })(project(scope));
  expect(await recorded()).toMatchObject([
    {
      actor: { type: 'operator', id: null },
      action: 'rebuildAnalytics',
      projectId: scope.projectId,
      target: { type: 'project', id: scope.projectId },
      requestId: 'a-run',
    },
  ]);
});

const dependencies = (onWait: () => void = () => undefined) => ({
  em: service.em,
  rpc: service.rpc,
  withRebuildLock: rebuildLock(service.testDatabase.url, onWait),
});

const rebuild = (scope: ProjectScope, onWait?: () => void) => rebuildProject(dependencies(onWait))(project(scope));

const projectCreated = (scope: ProjectScope) =>
  newEvent(ProjectCreated, scope.teamId, project(scope), new Date('2025-01-01'));

/** The events of a project with so many customers and subscriptions. */
const someEvents = (scope: ProjectScope, count: number): Envelope[] => [
  projectCreated(scope),
  ...Array.from({ length: count }).flatMap(() => [
    newEvent(CustomerCreated, scope.teamId, customer(scope), NOW),
    newEvent(SubscriptionCreated, scope.teamId, subscription(scope), NOW),
  ]),
];

interface MetricRow {
  readonly metric: string;
  readonly bucket: string;
  readonly amount: string;
}

/** All metrics of a project's current generation, as rows. */
const currentMetrics = ({ projectId }: ProjectScope) =>
  service.em.fork().execute<MetricRow[]>(
    `select metric, bucket, amount::text from metrics join projects using (team_id, project_id, generation)
      where project_id = ? and amount <> 0 order by metric, bucket`,
    [projectId],
  );

/** The movements of the subscriptions of a project's current generation, added up to metrics. */
const currentMovements = ({ projectId }: ProjectScope) =>
  service.em.fork().execute<MetricRow[]>(
    `select metric, day as bucket, sum(amount)::text as amount
       from subscription_movements join projects using (team_id, project_id, generation)
      where project_id = ? group by metric, day having sum(amount) <> 0 order by metric, bucket`,
    [projectId],
  );

/** How many rows of the project do not belong to its current generation. */
async function rowsOfOtherGenerations({ projectId }: ProjectScope): Promise<number> {
  const [row] = await service.em.fork().execute<{ count: number }[]>(
    `select count(*)::int as count
       from (select project_id, generation from metrics union all select project_id, generation from tracked_records
             union all select project_id, generation from subscription_movements) it
       join projects p using (project_id) where project_id = ? and it.generation <> p.generation`,
    [projectId],
  );
  if (!row) throw new Error('PostgreSQL returned no row for a count.');
  return row.count;
}

async function corrupt({ projectId }: ProjectScope): Promise<void> {
  const em = service.em.fork();
  await em.execute(`update metrics set amount = amount + 3 where project_id = ?`, [projectId]);
  await em.execute(`update tracked_records set version = 99 where project_id = ? and kind = 'subscription'`, [
    projectId,
  ]);
  await em.execute(`delete from tracked_records where project_id = ? and kind = 'customer'`, [projectId]);
  await em.execute(`update projects set base_currency = 'eur' where project_id = ?`, [projectId]);
}

import {
  SubscriptionCreated,
  SubscriptionUpdated,
  type SubscriptionState,
} from '@billing/contracts/events/subscriptions';
import type { ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import { ListProjectStates } from '@billing/contracts/rpc/list-states';
import { newEvent } from '@billing/testing/events';
import { waitFor } from '@billing/testing/wait-for';
import type { Migration } from '@mikro-orm/migrations';
import pino from 'pino';
import { expect, it } from 'vitest';
import { CreateAnalytics } from '#persistence/migrations/0001-create-analytics.ts';
import { FollowLives } from '#persistence/migrations/0002-follow-lives.ts';
import { EstimatedHistory } from '#persistence/migrations/0003-estimated-history.ts';
import { ReactivatedRevenue } from '#persistence/migrations/0004-reactivated-revenue.ts';
import { SubscriptionMovements } from '#persistence/migrations/0005-subscription-movements.ts';
import { TrialConversion } from '#persistence/migrations/0006-trial-conversion.ts';
import { FormerRevenue } from '#persistence/migrations/0007-former-revenue.ts';
import { rebuildLock } from '#persistence/rebuild-lock.ts';
import { startRecount } from '../src/jobs/recount.ts';
import { newScope, startAnalytics, type AnalyticsService } from './start-analytics.ts';
import { serveOwners } from './state-owners.ts';
import { project, subscription } from './states.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const STARTED_AT = new Date('2026-01-01T00:00:00.000Z');
const PAST_DUE_AT = new Date('2026-10-01T00:00:00.000Z');
const PAID_AT = new Date('2026-03-01T00:00:00.000Z');
const ENDED_AT = new Date('2026-11-10T00:00:00.000Z');
const LOST_AT = new Date('2026-06-01T00:00:00.000Z');
const MIGRATIONS = [
  FollowLives,
  EstimatedHistory,
  ReactivatedRevenue,
  SubscriptionMovements,
  TrialConversion,
  FormerRevenue,
];
/** 29.99 a month. */
const REVENUE = `${2_999 * 12}`;

it('keeps the metrics of a database from before, and counts its projects again by itself', async () => {
  await using service = await startAnalytics();
  service.setNow(NOW);
  const scope = newScope();
  const state = (changes: Partial<SubscriptionState>) => ({
    ...subscription(scope),
    startedAt: STARTED_AT,
    ...changes,
  });
  const active = state({ version: 3 });
  const pastDue = state({ status: 'past_due', version: 2 });
  const canceled = state({ status: 'canceled', endedAt: ENDED_AT, version: 2 });
  // As a sync finds one that has ended.
  const lost = state({ status: 'canceled', endedAt: LOST_AT, version: 1 });
  const ids = { active: active.id, pastDue: pastDue.id, canceled: canceled.id, lost: lost.id };
  await createOldDatabase(service, scope, ids);
  for (const Class of MIGRATIONS) await runMigration(service, Class);

  const before = await service.analytics(scope, 30);
  expect(before).toMatchObject({ mrr: 2_999, churnRate: 33.33, mrrPaused: 0 });
  expect((await service.subscriptions(scope, 'mrr')).subscriptions).toEqual([]);
  // An event replaces what was counted of its subscription.
  const paused = { ...active, pauseCollection: { behavior: 'void', resumesAt: null }, version: 4 };
  await service.emit(newEvent(SubscriptionUpdated, scope.teamId, paused, NOW));
  expect(await service.analytics(scope, 30)).toMatchObject({ mrr: 2_999, churnRate: 33.33, mrrPaused: 2_999 });

  await using resources = new AsyncDisposableStack();
  const owned = [paused, pastDue, canceled, lost].map(one => newEvent(SubscriptionCreated, scope.teamId, one, NOW));
  resources.use(await serveOwners(service, owned, { pageSize: 2 }));
  const projects = { records: [{ recordedAt: STARTED_AT, state: project(scope) }], next: null };
  resources.defer(await service.serve(ListProjectStates, async () => projects));
  const withRebuildLock = rebuildLock(service.testDatabase.url, () => undefined);
  const { em, rpc } = service;
  const logger = pino({ level: 'silent' });
  const [stop, stopOther] = [1, 2].map(() => startRecount({ em, rpc, withRebuildLock, logger }));
  const isDone = async () => (await service.subscriptions(scope, 'churn')).subscriptions.length === 1;
  await waitFor(isDone, { what: 'the project to be counted again', timeoutMs: 30_000 });
  await Promise.all([stop?.(), stopOther?.()]);

  // The past due one was not active any more when the window started.
  expect(await service.analytics(scope, 30)).toMatchObject({ mrr: 2_999, churnRate: 50, mrrPaused: 2_999 });
  expect((await service.subscriptions(scope, 'churn', 30)).subscriptions).toMatchObject([
    { subscriptionId: canceled.id, customerId: canceled.customerId, amount: '2999' },
  ]);
  const { totals } = await service.history(scope, 365);
  expect(totals).toMatchObject({ newMrr: 4 * 2_999, reactivatedMrr: 2_999, expansionMrr: 0, netMrr: 2_999 });
  expect(totals).toMatchObject({ churnedMrr: 2 * 2_999 });
  expect((await service.subscriptions(scope, 'reactivatedMrr', 365)).subscriptions).toMatchObject([
    { subscriptionId: active.id, amount: '2999' },
  ]);
}, 60_000);

/** Makes the tables as they were before, with four subscriptions of 29.99 a month that had started long ago. */
async function createOldDatabase(
  service: AnalyticsService,
  { teamId, projectId }: ProjectScope,
  ids: Readonly<Record<'active' | 'pastDue' | 'canceled' | 'lost', SubscriptionId>>,
): Promise<void> {
  const em = service.em.fork();
  await em.execute('drop table projects, tracked_records, metrics, revenue_periods, subscription_movements');
  await runMigration(service, CreateAnalytics);
  await em.execute(
    `insert into projects (team_id, project_id, base_currency, version, generation) values (?, ?, ?, 1, 1)`,
    [teamId, projectId, 'usd'],
  );
  const started = [
    ['started', '2026-01-01', '1'],
    ['started-hourly', '2026-01-01T00', '1'],
  ];
  const ended = [
    ['started-and-ended', '2026-01-01', '1'],
    ['started-and-ended-hourly', '2026-01-01T00', '1'],
    ['ended', '2026-11-10', '1'],
    ['ended-hourly', '2026-11-10T00', '1'],
  ];
  const counted = {
    active: [['status:active', '', '1'], ['revenue:active:usd:1', '', REVENUE], ...started, ['ongoing', '', '1']],
    pastDue: [['status:past_due', '', '1'], ...started, ['ongoing', '', '1']],
    canceled: [['status:canceled', '', '1'], ...started, ...ended],
    lost: [['status:canceled', '', '1']],
  };
  for (const [name, contributions] of Object.entries(counted)) {
    const id = ids[name as keyof typeof counted]; // the keys are those of the object above
    const endedAt = name === 'canceled' ? ENDED_AT.toISOString() : name === 'lost' ? LOST_AT.toISOString() : null;
    const version = name === 'active' ? 3 : name === 'lost' ? 1 : 2;
    await em.execute(
      `insert into tracked_records
              (team_id, kind, id, project_id, generation, version, contributions, started_at, ended_at)
       values (?, 'subscription', ?, ?, 1, ?, ?::json, ?::timestamptz, ?::timestamptz)`,
      [teamId, id, projectId, version, JSON.stringify(contributions), STARTED_AT.toISOString(), endedAt],
    );
    for (const [metric, bucket, amount] of contributions)
      await em.execute(
        `insert into metrics values (?, ?, 1, ?, ?, ?::numeric)
         on conflict (team_id, project_id, generation, metric, bucket) do update set amount = metrics.amount + excluded.amount`,
        [teamId, projectId, metric, bucket, amount],
      );
    const addPeriod = (first: number, recordedAt: Date, revenue: string) =>
      em.execute(
        `insert into revenue_periods
                (team_id, project_id, subscription_id, first_version, last_version, recorded_at, started_at, ended_at, revenue)
         values (?, ?, ?, ?, ?, ?::timestamptz, ?::timestamptz, ?::timestamptz, ?::json)`,
        [
          teamId,
          projectId,
          id,
          first,
          first,
          recordedAt.toISOString(),
          STARTED_AT.toISOString(),
          first === version ? endedAt : null,
          revenue,
        ],
      );
    await addPeriod(1, name === 'lost' ? LOST_AT : STARTED_AT, name === 'lost' ? '[]' : `[["usd",1,"${REVENUE}"]]`);
    if (name === 'lost') continue;
    if (name === 'active') {
      // It was past due for a month.
      await addPeriod(2, new Date('2026-02-01'), '[]');
      await addPeriod(3, PAID_AT, `[["usd",1,"${REVENUE}"]]`);
    } else await addPeriod(2, name === 'canceled' ? ENDED_AT : PAST_DUE_AT, '[]');
  }
}

async function runMigration(
  service: AnalyticsService,
  Class: new (...args: ConstructorParameters<typeof Migration>) => Migration,
) {
  const migration = new Class(service.em.getDriver(), service.database.config);
  await migration.up();
  for (const query of migration.getQueries()) if (typeof query === 'string') await service.em.fork().execute(query);
}

import { CustomerId, ProjectId } from '@billing/contracts/ids';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { queueNightlySyncs } from '../src/sync/queue-nightly-syncs.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';

const EVENING = new Date('2026-11-22T23:00:00Z');
const BEFORE = new Date('2026-11-23T00:30:00Z');
const MORNING = new Date('2026-11-23T06:00:00Z');
const NEXT_MORNING = new Date('2026-11-24T06:00:00Z');

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks({ run: false });
});
afterAll(() => service[Symbol.asyncDispose]());

/** A team whose project has a customer, connected at a time of the test. */
async function teamWithCustomer(connectedAt = EVENING): Promise<Team> {
  const team = await service.newTeam();
  await service.sql(`update processor_accounts set connected_at = ? where team_id = ?`, [
    connectedAt.toISOString(),
    team.teamId,
  ]);
  await addCustomer(team, team.projectId);
  return team;
}

async function addCustomer({ teamId }: Team, projectId: ProjectId): Promise<void> {
  await service.sql(`insert into project_copies (team_id, project_id) values (?, ?)`, [teamId, projectId]);
  await service.sql(
    `insert into routes (team_id, resource_id, kind, processor_id, project_id, version, created_at, deleted)
     values (?, ?, 'customer', 'cus_1', ?, 1, now(), false)`,
    [teamId, CustomerId.create(), projectId],
  );
}

/** The syncs of a team, made at a time of the test. */
const syncsOf = ({ teamId }: Team) =>
  service.sql(`select project_id, mode, status, nightly, filter from syncs where team_id = ? order by created_at`, [
    teamId,
  ]);
const endSyncs = (at: Date) =>
  service.sql(`update syncs set status = 'completed', due_at = null, created_at = ?`, [at.toISOString()]);

it('queues a report for each connected team once a night, of objects that are the project’s own', async () => {
  const team = await teamWithCustomer();
  const without = await service.newTeam();
  expect(await queueNightlySyncs(service.em, BEFORE)).toBe(0);
  expect(await queueNightlySyncs(service.em, MORNING)).toBe(1);
  expect(await queueNightlySyncs(service.em, MORNING)).toBe(0);
  expect(await syncsOf(team)).toEqual([
    {
      project_id: team.projectId,
      mode: 'report',
      status: 'queued',
      nightly: true,
      filter: { metadata: {}, includeUnmarked: false },
    },
  ]);
  expect(await syncsOf(without)).toEqual([]);

  await endSyncs(MORNING);
  expect(await queueNightlySyncs(service.em, MORNING)).toBe(0);
  expect(await queueNightlySyncs(service.em, NEXT_MORNING)).toBe(1);
  await endSyncs(NEXT_MORNING);
});

it('queues the projects of a team one after the other, and looks at what their last apply looked at', async () => {
  const team = await teamWithCustomer();
  const second = ProjectId.create();
  await addCustomer(team, second);
  await service.sql(
    `insert into syncs (id, team_id, project_id, mode, status, types, filter, mark_at_processor, nightly, type, phase,
                        created_at, failures)
     values (?, ?, ?, 'apply', 'completed', '{}', '{"metadata":{"app":"shop"},"includeUnmarked":true}', false, false,
             'invoice', 'apply', ?, 0)`,
    [`sync_of_${second}`, team.teamId, second, EVENING.toISOString()],
  );
  const queued = new Map<unknown, unknown>();
  for (let turn = 0; turn < 2; turn += 1) {
    expect(await queueNightlySyncs(service.em, MORNING)).toBe(1);
    for (const row of await syncsOf(team)) if (row['status'] === 'queued') queued.set(row['project_id'], row['filter']);
    await service.sql(`update syncs set status = 'completed', due_at = null where status = 'queued'`);
  }
  expect(queued).toEqual(
    new Map([
      [team.projectId, { metadata: {}, includeUnmarked: false }],
      [second, { metadata: { app: 'shop' }, includeUnmarked: true }],
    ]),
  );
});

it('has the first report of a team in the night after it was connected', async () => {
  const team = await teamWithCustomer(new Date('2026-11-23T01:30:00Z'));
  await queueNightlySyncs(service.em, MORNING);
  expect(await syncsOf(team)).toEqual([]);
  await queueNightlySyncs(service.em, NEXT_MORNING);
  expect(await syncsOf(team)).toMatchObject([{ nightly: true, status: 'queued' }]);
  await service.sql(`delete from syncs where team_id = ?`, [team.teamId]);
  await service.sql(`delete from project_copies where team_id = ?`, [team.teamId]);
});

it('gives way to a sync that somebody starts', async () => {
  const team = await teamWithCustomer();
  await queueNightlySyncs(service.em, NEXT_MORNING);
  const as = service.identity.asUser(team);
  const { status } = await service.call('POST', '/syncs', { of: team, as, body: { mode: 'report' } });
  expect(status).toBe(202);
  expect((await syncsOf(team)).map(row => [row['nightly'], row['status']])).toEqual([
    [true, 'canceled'],
    [false, 'queued'],
  ]);
  const again = await service.call('POST', '/syncs', { of: team, as, body: { mode: 'report' } });
  expect([again.status, again.body.error.code]).toEqual([409, 'sync_running']);
});

import { projectCreated } from '@billing/testing/projects';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks({ reconciler: false });
});
afterAll(() => service[Symbol.asyncDispose]());

const get = (of: Team, path: string) => service.call('GET', path, { of, as: service.identity.asUser(of) });
const ofTeam = ({ teamId }: Team, path: string) => `/api/service/teams/${teamId}${path}`;

it.each([
  ['lists its events', 'project_copies', (team: Team) => ofTeam(team, '/webhook-events')],
  ['asks for its health', 'refused_signatures', (team: Team) => ofTeam(team, '/processor/health')],
  ['lists its syncs', 'syncs', () => '/syncs'],
])('receives the events of all teams while one %s and PostgreSQL is slow with that', async (_what, table, pathOf) => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const blocker = service.em.fork();
  await blocker.begin();
  await blocker.execute(`lock table ${table} in access exclusive mode`);
  const reads = Array.from({ length: 40 }, () => get(team, pathOf(team)));
  const isWaiting = async () =>
    (
      await service.sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length > 0;
  await waitFor(isWaiting, { what: 'a read to wait' });
  for (const to of [team, other]) expect((await service.send(to, customerUpdated())).status).toBe(200);
  // Other teams have connections to read.
  expect((await get(other, `/webhook-events?limit=1`)).status).toBe(200);
  await blocker.rollback();
  expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([200]));
});

it('refuses what too many reads of a team would wait for, and nothing of other teams', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const blocker = service.em.fork();
  await blocker.begin();
  await blocker.execute('lock table project_copies in access exclusive mode');
  const reads = Array.from({ length: 110 }, () => get(team, ofTeam(team, '/webhook-events')));
  const refused = await Promise.any(
    reads.map(async read => {
      const response = await read;
      if (response.status === 200) throw new Error('It was served.');
      return response;
    }),
  );
  expect([refused.status, refused.body.error.code, refused.headers['retry-after']]).toEqual([429, 'rate_limited', '2']);
  expect((await get(other, '/webhook-events')).status).toBe(200);
  await blocker.rollback();
  const statuses = (await Promise.all(reads)).map(({ status }) => status);
  expect(statuses.filter(status => status === 200)).toHaveLength(102);
});

it('refuses a deep offset before it reads anything', async () => {
  const team = await service.newTeam();
  for (const path of ['/webhook-events', '/syncs', ofTeam(team, '/webhook-events')])
    expect(await get(team, `${path}?offset=2147483000`)).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_error' } },
    });
});

it('counts the failed events of a team for its health no further than lists count', async () => {
  const team = await service.newTeam();
  const { teamId, projectId } = team;
  await service.emit(projectCreated(team));
  const event = customerUpdated(projectId);
  await service.send(team, event);
  await service.waitForPublications(event.id);
  await service.sql(
    `insert into webhook_events (team_id, id, type, livemode, payload_bytes, trace, status, error, routed_to, awaiting, failed_in,
            attempts, routing_attempts, replays, processor_created_at, received_at, recovered)
     select ?, 'evt_old_' || n, 'invoice.paid', false, 0, '{}', 'failed', 'unroutable: x', '{}', '{}', '{}',
            1, 1, 0, now(), now() - interval '2 hours', false
       from generate_series(1, 10002) n`,
    [teamId],
  );
  const { body } = await get(team, ofTeam(team, '/processor/health'));
  const detailOf = (name: string) => body.checks.find((check: { name: string }) => check.name === name)?.detail;
  expect(detailOf('signatures')).toMatch(/^1 valid and 0 invalid/);
  expect(detailOf('events')).toContain('more than 10000 failed, more than 10000 of them without a project');
});

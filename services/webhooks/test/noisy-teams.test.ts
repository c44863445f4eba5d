import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lockTeam } from '../src/accounts/team-lock.ts';
import { startDelivering, type OutgoingSteps } from './outgoing-steps.ts';
import { startReceiver } from './receiver.ts';
import type { Team, WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;
let steps: OutgoingSteps;
beforeAll(async () => {
  ({ service, steps } = await startDelivering());
});
afterAll(() => service[Symbol.asyncDispose]());

const NOWHERE = 'http://127.0.0.1:9/';
const since = new Date(Date.now() - 3_600_000).toISOString();
const recover = (team: Team, id: string, only = 'failed') =>
  steps.call(team, 'POST', `/webhook-endpoints/${id}/recover`, { since, only });

/** Gives a project so many events. */
async function fillLog(team: Team, count: number) {
  await steps.newEventOf(team);
  await service.sql(
    `insert into events (team_id, project_id, position, id, type, object_type, object_id, sequence, happened_at, is_from_sync, body,
                         is_erased, recorded_at)
     select team_id, project_id, n, 'ev_' || n || e.id, type, object_type, object_id, sequence, happened_at, is_from_sync, body,
            is_erased, recorded_at
       from events e cross join generate_series(2, ?) n where e.project_id = ?`,
    [count, team.projectId],
  );
  await service.sql('update event_positions set position = ? where project_id = ?', [count, team.projectId]);
}

/** Makes an endpoint that has passed every event. */
async function newEndpoint(team: Team, url: string) {
  const { id } = await steps.newEndpoint(team, url, { eventTypes: ['invoice.paid'] });
  await service.sql(
    `update webhook_endpoints e set position = p.position, wanted_position = p.position from event_positions p
      where e.id = ? and p.project_id = e.project_id`,
    [id],
  );
  return id;
}

/** Runs work while every read of the deliveries waits. */
async function whileDeliveriesAreLocked(work: () => Promise<void>) {
  const blocker = service.em.fork();
  await blocker.begin();
  await blocker.execute('lock table webhook_deliveries in access exclusive mode');
  await work().finally(() => blocker.rollback());
}

it('S78: refuses a second recovery of an endpoint before it counts anything', async () => {
  const team = await service.newTeam();
  const id = await newEndpoint(team, NOWHERE);
  await service.sql(
    `insert into recoveries (id, team_id, project_id, endpoint_id, only_which, since, until, position, to_position, matched, queued, created_at)
     values (?, ?, ?, ?, 'all', now(), now(), 0, 3, 3, 0, now())`,
    [`whr_${randomUUID()}`, team.teamId, team.projectId, id],
  );
  await whileDeliveriesAreLocked(async () => {
    const refused = await Promise.all(Array.from({ length: 10 }, () => recover(team, id)));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([409]));
  });
});

it('S78: gives recoveries of many endpoints no more than the places of their team', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  await fillLog(team, 3);
  const ids: string[] = [];
  for (let count = 0; count < 12; count += 1) ids.push(await newEndpoint(team, NOWHERE));
  let recoveries: ReturnType<typeof recover>[] = [];
  await whileDeliveriesAreLocked(async () => {
    recoveries = ids.map(id => recover(team, id));
    const waiting = async () =>
      (
        await service.sql(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%matches%'`,
        )
      ).length;
    await waitFor(async () => (await waiting()) > 0, { what: 'a recovery to read deliveries' });
    expect((await steps.call(other, 'POST', '/syncs', { mode: 'report' })).status).toBe(202);
    expect(await waiting()).toBeLessThanOrEqual(2);
  });
  const statuses = (await Promise.all(recoveries)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([202]));
});

it('S78: lets starts of syncs that wait for a change of the connection take no more than the places of their team', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const blocker = service.em.fork();
  await blocker.begin();
  await lockTeam(blocker, team.teamId);
  const starts = Array.from({ length: 12 }, () => steps.call(team, 'POST', '/syncs', { mode: 'report' }));
  const waiting = async () =>
    (
      await service.sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`,
      )
    ).length;
  await waitFor(async () => (await waiting()) > 0, { what: 'a start to wait' });
  expect((await steps.call(other, 'POST', '/webhook-endpoints', { url: NOWHERE })).status).toBe(201);
  expect(await waiting()).toBeLessThanOrEqual(2);
  await blocker.rollback();
  const statuses = (await Promise.all(starts)).map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([202, ...Array.from({ length: 11 }, () => 409)]);
});

it('S78: looks through the events of a recovery in parts', async () => {
  const team = await service.newTeam();
  await using receiver = await startReceiver();
  await fillLog(team, 6_000);
  const id = await newEndpoint(team, receiver.url);
  await service.sql(`update events set type = 'invoice.paid' where project_id = ? and position in (5500, 5999)`, [
    team.projectId,
  ]);
  await service.sql(
    `insert into webhook_deliveries (id, team_id, project_id, endpoint_id, position, event_id, type, object_key, status, attempts,
                                     failures, trigger, created_at)
     select 'whd_' || position || substr(?, 5), team_id, project_id, ?, position, id, type, 'invoice ' || position, 'failed', 10, 10, 'automatic', now()
       from events where project_id = ? and type = 'invoice.paid'`,
    [id, id, team.projectId],
  );
  expect((await recover(team, id)).body.recovery).toMatchObject({ status: 'running', matched: 0, queued: 0 });
  await waitFor(() => receiver.received.length === 2, { what: 'both events' });
  const [recovery] = await service.sql('select matched, queued, finished_at from recoveries where endpoint_id = ?', [
    id,
  ]);
  expect(recovery).toMatchObject({ matched: 2, queued: 2, finished_at: expect.anything() });
});

it('S81: takes no more sends by hand while very many deliveries wait, and sends those that wait', async () => {
  const team = await service.newTeam();
  let status = 500;
  await using receiver = await startReceiver(() => status);
  const { id } = await steps.newEndpoint(team, receiver.url, { eventTypes: ['invoice.paid'], maxConcurrency: 50 });
  const event = await steps.newEventOf(team);
  const send = () => steps.call(team, 'POST', `/webhook-endpoints/${id}/send`, { eventId: event.id });
  const { delivery } = (await send()).body;
  await waitFor(() => receiver.received.length > 0, { what: 'the first attempt' });
  await service.sql(
    `insert into webhook_deliveries select (json_populate_record(d, json_build_object('id', 'whd_' || n || substr(d.id, 5),
              'status', 'pending', 'created_at', d.created_at + n * interval '1 microsecond', 'next_attempt_at', now() + interval '1 day'))).*
       from webhook_deliveries d cross join generate_series(1, 2000) n where d.id = ?`,
    [delivery.id],
  );
  const refused = await send();
  expect([refused.status, refused.body.error.code, refused.headers['retry-after']]).toEqual([
    429,
    'rate_limited',
    '60',
  ]);
  status = 204;
  await steps.endPauses(id);
  const isEmpty = async () =>
    (await service.sql('select 1 from webhook_deliveries where endpoint_id = ? and next_attempt_at is not null', [id]))
      .length === 0;
  await waitFor(isEmpty, { what: 'what waits to be sent', timeoutMs: 60_000 });
  expect((await send()).status).toBe(202);
});

it('S77: lets so many requests of a team wait, wakes them with the event, and frees the places of those that hang up', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const url = await service.listen();
  const poll = async ({ teamId, projectId }: Team, signal?: AbortSignal) => {
    const path = `/api/service/teams/${teamId}/projects/${projectId}/events?waitMs=20000`;
    const headers = service.identity.asUser({ teamId, projectId });
    const response = await fetch(url + path, { headers, ...(signal && { signal }) });
    const body = (await response.json()) as { readonly events?: readonly unknown[] };
    return { status: response.status, events: body.events?.length, retryAfter: response.headers.get('retry-after') };
  };
  /** Lets 40 wait until their caller hangs up, of which eight are refused. */
  const fill = async (signal: AbortSignal) => {
    const refused: unknown[] = [];
    const pollOnce = async () => {
      const page = await poll(team, signal).catch(() => undefined);
      if (page?.status === 429) refused.push(page.retryAfter);
    };
    void Promise.all(Array.from({ length: 40 }, pollOnce));
    await waitFor(() => refused.length >= 8, { what: 'those for whom no place is left', timeoutMs: 15_000 });
    expect(refused).toEqual(Array.from({ length: 8 }, () => '2'));
  };
  const hangUp = new AbortController();
  await fill(hangUp.signal);
  const ofOther = poll(other);
  hangUp.abort();
  const placeAgain = async () => {
    const probe = new AbortController();
    const page = await Promise.race([poll(team, probe.signal).catch(() => undefined), pause(100)]);
    probe.abort();
    return page === undefined;
  };
  await waitFor(placeAgain, { what: 'a place to be free', timeoutMs: 15_000 });
  const again = [poll(team), poll(team), poll(team)];
  await steps.newEventOf(team);
  for (const page of await Promise.all(again)) expect(page).toMatchObject({ status: 200, events: 1 });
  await steps.newEventOf(other);
  expect(await ofOther).toMatchObject({ status: 200, events: 1 });
});

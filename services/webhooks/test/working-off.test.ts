import type { ProjectId } from '@billing/contracts/ids';
import { envelope } from '@billing/contracts/event';
import { processorEvent } from '@billing/contracts/processor-events';
import { relayOnce } from '@billing/messaging/outbox';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimDue, MAX_CLAIM_BYTES } from '#processing/claim.ts';
import { completeFacts } from '#processing/complete-facts.ts';
import { publish } from '#processing/publish.ts';
import { ROUTING_PAUSES_MS } from '#domain/back-off.ts';
import { putBack } from '#processing/put-back.ts';
import { startWorker } from '#processing/worker.ts';
import { aCustomer, anEvent, startService, type Service, type Team } from './service.ts';

let service: Service;

beforeAll(async () => {
  service = await startService({ working: false });
});
afterAll(() => service[Symbol.asyncDispose]());

const eventRow = async (id: string) =>
  (await service.admin.query('select * from webhooks.webhook_events where id = $1', [id])).rows[0];
const factsOf = async (id: string) =>
  (await service.admin.query(`select type from webhooks.outbox_events where data->>'eventId' = $1`, [id])).rows;
const leaseEnds = () =>
  service.admin.query('update webhooks.webhook_events set due_at = now() where claim_id is not null');

/** Works off all that is due, as a worker does. */
async function workOff(): Promise<void> {
  for (;;) {
    const events = await claimDue(service.database.em, 100);
    if (events.length === 0) return;
    for (const errand of await service.process(events)) await errand();
  }
}

async function sendEvent(team: Team, projectId?: ProjectId) {
  const event = anEvent('customer.updated', aCustomer(projectId ?? team.projectId));
  await service.send(team, event);
  return event.id;
}

it('gives an event to one worker at a time', async () => {
  const team = await service.newTeam();
  const sent = await Promise.all(Array.from({ length: 30 }, () => sendEvent(team)));
  const claims = await Promise.all(Array.from({ length: 6 }, () => claimDue(service.database.em, 10)));
  const claimed = claims.flat().map(({ id }) => id);
  expect(new Set(claimed).size).toBe(claimed.length);
  const rest = await claimDue(service.database.em, 100);
  expect([...claimed, ...rest.map(({ id }) => id)].toSorted()).toEqual(sent.toSorted());
  await leaseEnds();
  await workOff();
});

it('takes no more at once than fits into memory', async () => {
  const team = await service.newTeam();
  const [count, size] = [24, 1_000_000];
  const description = 'x'.repeat(size);
  for (let index = 0; index < count; index += 1)
    await service.send(team, anEvent('customer.updated', aCustomer(team.projectId, { description })));
  const sizes: number[] = [];
  for (let claimed = 0; claimed < count; claimed += sizes.at(-1) ?? count) {
    const events = await claimDue(service.database.em, 1_000);
    sizes.push(events.length);
  }
  expect(sizes).toEqual([Math.ceil(MAX_CLAIM_BYTES / size), count - Math.ceil(MAX_CLAIM_BYTES / size)]);
  await leaseEnds();
  await workOff();
});

it('takes up again what a worker had claimed when it died, and lets the dead one write nothing', async () => {
  const team = await service.newTeam();
  const id = await sendEvent(team);
  const [dead] = await claimDue(service.database.em, 10);
  expect(dead?.id).toBe(id);
  expect(await claimDue(service.database.em, 10)).toEqual([]);

  await leaseEnds();
  const again = await claimDue(service.database.em, 10);
  expect(again.map(event => [event.id, event.attempt])).toEqual([[id, 2]]);
  if (!dead) throw new Error('nothing was claimed');
  const route = { projects: [team.projectId], routedBy: 'known-id' } as const;
  await publish(service.database.em, [{ event: dead, route }]);
  await putBack(service.database.em, [{ event: dead, error: 'late' }], ROUTING_PAUSES_MS);
  expect(await factsOf(id)).toEqual([]);

  for (const errand of await service.process(again)) await errand();
  expect(await factsOf(id)).toEqual([{ type: 'processor.customer.updated.v1' }]);
  expect(await eventRow(id)).toMatchObject({ due_at: null, claim_id: null, project_id: team.projectId, error: null });
});

it('tells the projects within the trace of the request that brought the event', async () => {
  const team = await service.newTeam();
  const id = await sendEvent(team);
  const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  await service.admin.query('update webhooks.webhook_events set trace = $1 where id = $2', [trace, id]);
  await workOff();
  const { rows } = await service.admin.query(`select trace from webhooks.outbox_events where data->>'eventId' = $1`, [
    id,
  ]);
  expect(rows).toEqual([{ trace }]);
});

it('records the fact and the route together or not at all', async () => {
  const team = await service.newTeam();
  const id = await sendEvent(team);
  await service.admin.query(
    `alter table webhooks.outbox_events add constraint refuse check (team_id <> '${team.teamId}') not valid`,
  );
  try {
    await workOff();
    expect(await eventRow(id)).toMatchObject({ project_id: null, awaiting: [], status: 'received' });
  } finally {
    await service.admin.query('alter table webhooks.outbox_events drop constraint refuse');
  }
  await service.admin.query('update webhooks.webhook_events set due_at = now() where id = $1', [id]);
  await workOff();
  expect(await eventRow(id)).toMatchObject({ project_id: team.projectId });
});

it('does the neighbours of an event that always fails', async () => {
  const team = await service.newTeam();
  await service.admin.query(`
    create or replace function webhooks.refuse_object() returns trigger language plpgsql as
      $$ begin if new.object_id = 'cus_bad' and new.project_id is not null then raise exception 'refused'; end if; return new; end $$;
    create trigger refuse_object before update on webhooks.webhook_events for each row execute function webhooks.refuse_object()`);
  try {
    const good = await Promise.all(Array.from({ length: 5 }, () => sendEvent(team)));
    const bad = anEvent('customer.updated', aCustomer(team.projectId, { id: 'cus_bad' }));
    await service.send(team, bad);
    await workOff();
    for (const id of good) expect(await factsOf(id)).toHaveLength(1);
    expect(await eventRow(bad.id)).toMatchObject({
      status: 'received',
      claim_id: null,
      routing_attempts: 1,
      error: expect.stringMatching(/^unroutable: an unexpected error/),
    });
  } finally {
    await service.admin.query('drop trigger refuse_object on webhooks.webhook_events');
  }
});

it('ends an event that every worker dies of', async () => {
  const team = await service.newTeam();
  const id = await sendEvent(team);
  for (let death = 0; death < 6; death += 1) {
    expect((await claimDue(service.database.em, 10)).map(event => event.id)).toEqual([id]);
    await leaseEnds();
  }
  await workOff();
  const error = expect.stringContaining('no attempt came to an end');
  expect(await eventRow(id)).toMatchObject({ status: 'failed', due_at: null, claim_id: null, error });
  expect(await factsOf(id)).toEqual([]);

  expect((await service.replay(team, id)).statusCode).toBe(200);
  await workOff();
  expect(await factsOf(id)).toHaveLength(1);
});

it('works off what was stored, with several workers side by side, each event once', async () => {
  const team = await service.newTeam();
  const ids = await Promise.all(Array.from({ length: 80 }, () => sendEvent(team)));
  const { em } = service.database;
  const { process, logger } = service;
  const workers = [1, 2, 3].map(() => startWorker({ em, process, logger, intervalMs: 10 }));
  try {
    const { rows } = await waitFor(
      async () => {
        const found = await service.admin.query(
          `select data->>'eventId' as id, count(*)::int as count from webhooks.outbox_events
            where type = 'processor.customer.updated.v1' and data->>'eventId' = any($1) group by 1`,
          [ids],
        );
        return found.rowCount === ids.length ? found : undefined;
      },
      { what: 'every event to be told', timeoutMs: 15_000 },
    );
    expect(rows.every(row => row.count === 1)).toBe(true);
  } finally {
    await Promise.all(workers.map(worker => worker.stop()));
  }
});

it('writes a payload once, and tells it whole all the same when a fact is read back', async () => {
  const team = await service.newTeam();
  const object = aCustomer(team.projectId, { description: 'x'.repeat(2_000) });
  const event = anEvent('customer.updated', object);
  await service.send(team, event);
  await workOff();
  const { rows } = await service.admin.query(
    `select length(data::text) as written, whole_bytes from webhooks.outbox_events where data->>'eventId' = $1`,
    [event.id],
  );
  expect(rows[0].written).toBeLessThan(500);
  expect(rows[0].whole_bytes).toBeGreaterThan(2_000);

  const told: unknown[] = [];
  const { em } = service.database;
  // What a relay does once the process that recorded the fact is gone.
  await service.admin.query('update webhooks.outbox_events set claimed_until = null where published_at is null');
  const publishing = async (_type: string, body: string) => void told.push(JSON.parse(body));
  while ((await relayOnce(em, publishing, { complete: completeFacts(em) })) > 0);
  const { name, data } = processorEvent('customer.updated');
  const facts = told.map(one => envelope.parse(one)).filter(({ type }) => type === name);
  expect(facts.map(one => data.parse(one.data)).find(({ eventId }) => eventId === event.id)).toMatchObject({
    projectId: team.projectId,
    object,
    previousAttributes: null,
  });
});

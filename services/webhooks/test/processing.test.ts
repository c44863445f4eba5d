import type { ProjectId } from '@billing/contracts/ids';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ROUTING_PAUSES_MS } from '../src/pipeline/unrouted.rules.ts';
import { teamSchemaName } from '../src/pipeline/raw-object.rules.ts';
import { saveRoutes } from '../src/pipeline/route-rows.ts';
import { openTeamSchemas } from '../src/pipeline/team-schema.ts';
import { leaseDueEvents, openWindow, WEBHOOK_EVENTS } from '../src/pipeline/lease.ts';
import { endUnrouted, postpone } from '../src/pipeline/postpone.ts';
import { openEventProcessor, type EventProcessor } from '../src/pipeline/process.ts';
import { openEventPublisher, type EventPublisher } from '../src/pipeline/publish.ts';
import { recordRoutes } from '../src/pipeline/route.ts';
import { refuseRows } from './refuse-rows.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

const MAX_BATCH_BYTES = WEBHOOK_EVENTS.maxSize?.bytes ?? 0;

/** It runs no pipeline: the tests lease and process what it stores. */
let service: WebhooksService;
let team: Team;
let publisher: EventPublisher;
let processor: EventProcessor;

beforeAll(async () => {
  service = await startWebhooks({ run: false });
  const { em, outbox, bus, rpc, processors, logger } = service;
  publisher = openEventPublisher({ outbox, publish: bus.publish, logger });
  processor = openEventProcessor({ outbox, rpc, processors, publisher, rooms: openWindow(em), logger });
});
beforeEach(async () => {
  team = await service.newTeam();
});
afterAll(() => service[Symbol.asyncDispose]());

/** As another copy does each time, which knows nothing. */
const lease = (limit: number) => leaseDueEvents(service.em, openWindow(service.em), limit);

/** Ends all leases and processes what is due, as another copy does after a crash. */
async function processAll(): Promise<void> {
  await service.endLeases();
  for (let events = await lease(100); events.length > 0; events = await lease(100)) {
    await processor.process(events);
    await processor.idle();
    await publisher.flush();
  }
}

async function sendEvent(projectId: ProjectId = team.projectId, changes: object = {}): Promise<string> {
  const event = customerUpdated(projectId, changes);
  await service.send(team, event);
  return event.id;
}

it('leases an event to one process at a time', async () => {
  const sent = await Promise.all(Array.from({ length: 30 }, () => sendEvent()));
  await service.endLeases();
  const batches = await Promise.all(Array.from({ length: 6 }, () => lease(10)));
  const leased = batches.flat().map(({ id }) => id);
  expect(new Set(leased).size).toBe(leased.length);
  const rest = await lease(100);
  expect([...leased, ...rest.map(({ id }) => id)].toSorted()).toEqual(sent.toSorted());
  await processAll();
});

it('leases no more events at once than fit into memory, and of no team more than of another', async () => {
  const size = 1_000_000;
  const description = 'x'.repeat(size);
  const teams = [team, await service.newTeam(), await service.newTeam()];
  for (const of of teams)
    for (let index = 0; index < 8; index += 1) await service.send(of, customerUpdated(of.projectId, { description }));
  await service.endLeases();
  const leased = await lease(1_000);
  expect(leased).toHaveLength(Math.ceil(MAX_BATCH_BYTES / size));
  expect(teams.map(({ teamId }) => leased.filter(event => event.teamId === teamId).length)).toEqual([3, 3, 3]);
  await processAll();
});

it('leases a team’s only event with the first of another team’s flood, by an index', async () => {
  const flooded = await service.newTeam();
  await service.send(flooded, customerUpdated());
  await service.sql(
    `insert into webhook_events select flood.*
       from webhook_events e, generate_series(1, 20000) n,
            lateral jsonb_populate_record(e, jsonb_build_object('id', 'evt_flood_' || n)) flood
      where e.team_id = ?`,
    [flooded.teamId],
  );
  await service.sql('update webhook_events set due_at = clock_timestamp() where team_id = ?', [flooded.teamId]);
  const id = await sendEvent();
  await service.endLeases();
  await service.sql('analyze webhook_events');
  const found = await lease(1_000);
  expect(found.filter(({ teamId }) => teamId === flooded.teamId)).toHaveLength(999);
  expect(found.map(event => event.id)).toContain(id);

  // The window of the flooding team is full, whatever copy has leased its events.
  expect(await lease(1_000)).toHaveLength(1);
  const other = await sendEvent();
  await service.sql('update webhook_events set due_at = now() where id = ?', [other]);
  expect((await lease(1_000)).map(event => event.id)).toEqual([other]);
  await service.sql('delete from webhook_events where team_id = ?', [flooded.teamId]);
  await processAll();
});

it('leases an event again after a crash, and ignores late writes of the crashed process', async () => {
  const id = await sendEvent();
  await service.endLeases();
  const [late] = await lease(10);
  expect(late?.id).toBe(id);
  expect(await lease(10)).toEqual([]);

  await service.endLeases();
  const again = await lease(10);
  expect(again.map(event => [event.id, event.attempt])).toEqual([[id, 2]]);
  if (!late) throw new Error('No event was leased.');
  const route = { projects: [team.projectId], routedBy: 'known-id', leftOut: 0 } as const;
  const parts = { publish: () => undefined, rooms: openWindow(service.em) };
  expect(await recordRoutes(service.em.fork(), [{ event: { ...late, attempt: 2 }, route }], parts)).toEqual([]);
  await postpone(service.outbox, [late], 'late', ROUTING_PAUSES_MS);
  expect(await service.recordOf(team, id)).toMatchObject({ projectId: null, error: null });

  await processor.process(again);
  const [publication] = await service.waitForPublications(id);
  expect(publication?.data.projectId).toBe(team.projectId);
  expect(await service.recordOf(team, id)).toMatchObject({ projectId: team.projectId, routedBy: 'object-metadata' });
});

it('does not call an event foreign whose route was saved after the last look at the routes', async () => {
  const event = customerUpdated();
  await service.send(team, event);
  await service.endLeases();
  const leaseIt = async () => (await lease(10)).find(({ id }) => id === event.id);
  const first = await leaseIt();
  if (!first) throw new Error('The event was not leased.');
  expect(await endUnrouted(service.outbox, first, 'ignored')).toBe(false);
  await postpone(service.outbox, [first], 'unroutable', [0]);
  const last = await leaseIt();
  if (!last) throw new Error('The event was not leased again.');

  const { teamId, projectId } = team;
  const reference = { kind: 'customer', processorId: event.data.object.id } as const;
  const record = { ...reference, resourceId: 'cus_x', version: 1, createdAt: new Date(), deleted: false };
  await service.em.fork().transactional(tx => saveRoutes(tx, [{ teamId, projectId, ...record }]));
  expect(await endUnrouted(service.outbox, last, 'ignored')).toBe(false);
  await processAll();
  expect((await service.waitForPublications(event.id))[0]?.data).toMatchObject({ projectId, routedBy: 'known-id' });
});

it('publishes within the trace of the request that brought the event', async () => {
  const id = await sendEvent();
  const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  // Telemetry is off in tests, so no request carries a trace.
  await service.sql('update webhook_events set trace = ? where id = ?', [JSON.stringify(trace), id]);
  await processAll();
  expect((await service.waitForPublications(id))[0]?.trace).toEqual(trace);
});

it('processes the neighbours of an event that always fails', async () => {
  await using resources = new AsyncDisposableStack();
  await openTeamSchemas(service.em).ensure([team.teamId]);
  const table = `"${teamSchemaName(team.teamId)}".customers`;
  resources.use(await refuseRows(service, 'insert', `new.id = 'cus_bad'`, table));
  const good = await Promise.all(Array.from({ length: 5 }, () => sendEvent()));
  const bad = await sendEvent(team.projectId, { id: 'cus_bad' });
  await processAll();
  for (const id of good) await service.waitForPublications(id);
  expect(await service.recordOf(team, bad)).toMatchObject({
    status: 'received',
    projectId: null,
    attempts: 1,
    error: expect.stringMatching(/^unroutable: an unexpected error/),
  });
  expect(service.publicationsOf(bad)).toEqual([]);
});

it('fails an event that crashes every process, and replays it', async () => {
  const id = await sendEvent();
  for (let crash = 0; crash < 6; crash += 1) {
    await service.endLeases();
    expect((await lease(10)).map(event => event.id)).toContain(id);
  }
  await processAll();
  const error = expect.stringContaining('no attempt finished');
  expect(await service.recordOf(team, id)).toMatchObject({ status: 'failed', error });
  expect(service.publicationsOf(id)).toEqual([]);

  expect((await service.replay(team, id)).status).toBe(200);
  await processAll();
  expect(await service.waitForPublications(id)).toHaveLength(1);
});

import type { PublishMessage } from '@billing/messaging/bus';
import { decode } from '@billing/messaging/message-body';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { publicationId } from '@billing/messaging/event-id';
import { leaseDueEvents, openWindow } from '../src/pipeline/lease.ts';
import { openEventProcessor } from '../src/pipeline/process.ts';
import { openEventPublisher } from '../src/pipeline/publish.ts';
import { completed } from './domain-events.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

const COUNT = 20;

async function sendEvents(service: WebhooksService, team: Team): Promise<string[]> {
  const events = Array.from({ length: COUNT }, () => customerUpdated(team.projectId));
  const responses = await Promise.all(events.map(event => service.send(team, event)));
  expect(responses.map(({ status }) => status)).toEqual(events.map(() => 200));
  return events.map(({ id }) => id);
}

/** The ids of the events that reach the server, also in messages that it drops as duplicates. */
async function watchWire({ bus }: WebhooksService) {
  const ids: string[] = [];
  bus.nats.subscribe(`${bus.root}.processor.>`, {
    callback: (_err, message) => void ids.push(...decode(message).map(({ id }) => id)),
  });
  await bus.nats.flush();
  return ids;
}

/** The ids under which a team's events are published to its project. */
async function publicationsOf({ em }: WebhooksService, { teamId, projectId }: Team, ids: readonly string[]) {
  const rows = await em
    .fork()
    .execute<{ id: string; ms: number }[]>(
      `select id, (extract(epoch from processor_created_at) * 1000)::float8 as ms from webhook_events where team_id = ?`,
      [teamId],
    );
  return rows
    .filter(({ id }) => ids.includes(id))
    .map(({ id, ms }) => publicationId({ teamId, eventId: id, projectId, replays: 0, createdAt: new Date(ms) }));
}

/** Processes what is stored until a process would crash: the last call to the bus never returns. */
async function crashWhilePublishing({ em, outbox, rpc, processors, logger }: WebhooksService, publish: PublishMessage) {
  let calls = 0;
  const publisher = openEventPublisher({
    outbox,
    logger,
    publish: async (...message) => {
      await publish(...message);
      calls += 1;
      return new Promise<void>(() => undefined);
    },
  });
  const rooms = openWindow(em);
  const processor = openEventProcessor({ outbox, rpc, processors, publisher, rooms, logger });
  void processor.process(await leaseDueEvents(em, rooms, COUNT));
  await waitFor(() => calls > 0, { what: 'the message with every event to be about to be published' });
}

it.each([
  ['before', 1],
  ['after', 2],
])('publishes under the same id after a crash %s the message reached the bus', async (moment, timesOnTheWire) => {
  await using service = await startWebhooks({ run: false });
  const team = await service.newTeam();
  const { teamId, projectId } = team;
  // The copy knows the project and needs no look-up.
  await service.sql('insert into project_copies (team_id, project_id) values (?, ?)', [teamId, projectId]);
  const wire = await watchWire(service);
  const ids = await sendEvents(service, team);
  await service.endLeases();
  await crashWhilePublishing(service, moment === 'after' ? service.bus.publish : async () => undefined);
  await service.endLeases();
  await service.run();
  const expected = (await publicationsOf(service, team, ids)).toSorted();
  await waitFor(() => wire.length >= COUNT * timesOnTheWire, { what: 'every message' });
  expect([...new Set(wire)].toSorted()).toEqual(expected);
  for (const id of ids) await service.waitForPublications(id);

  // A consumer has one event of each, and its report completes it.
  await service.emit(...ids.map(id => completed(team, id)));
  expect((await service.list(team, '?status=processed')).pagination.total).toBe(COUNT);
  expect(ids.map(id => service.publicationsOf(id).length)).toEqual(ids.map(() => 1));
});

it('publishes an event again under its id only after a long time without an outcome', async () => {
  await using service = await startWebhooks();
  const team = await service.newTeam();
  const wire = await watchWire(service);
  const event = customerUpdated(team.projectId);
  await service.send(team, event);
  const [publication] = await service.waitForPublications(event.id);
  const timesOnTheWire = () => wire.filter(id => id === publication?.id).length;
  // Then it is recorded where it went.
  await service.waitForTotals(team.projectId, { total: 1, processed: 0, failed: 0 });

  // The pipeline reads what is due from the table, where only this one is found.
  const later = customerUpdated(team.projectId);
  await service.send(team, later, { to: await service.startCopy({ run: false }) });
  await service.endLeases();
  await service.waitForPublications(later.id);
  expect(timesOnTheWire()).toBe(1);
  await service.sql('update webhook_events set due_at = clock_timestamp() where id = ?', [event.id]);
  await waitFor(() => timesOnTheWire() === 2, { what: 'the event to be published again' });
  expect(service.publicationsOf(event.id)).toHaveLength(1);
});

it('leaves what a process stored before it died to another copy, once the lease ends', async () => {
  await using service = await startWebhooks();
  const team = await service.newTeam();
  const dying = await service.startCopy({ run: false });
  const event = customerUpdated(team.projectId);
  expect((await service.send(team, event, { to: dying })).status).toBe(200);
  await dying[Symbol.asyncDispose]();
  await service.sql(`update webhook_events set due_at = now() + interval '1 hour' where id = ?`, [event.id]);

  const later = customerUpdated(team.projectId);
  await service.send(team, later);
  await service.waitForPublications(later.id);
  expect(service.publicationsOf(event.id)).toEqual([]);
  await service.sql('update webhook_events set due_at = clock_timestamp() where lease_id is not null');
  expect(await service.waitForPublications(event.id)).toHaveLength(1);
});

it('leaves what a stopped process could not process to another copy at once', async () => {
  await using service = await startWebhooks({ run: false });
  const team = await service.newTeam();
  const stopping = await service.startCopy();
  const inTable = customerUpdated(team.projectId);
  await service.send(team, inTable);
  await service.endLeases();
  await service.waitForPublications(inTable.id);

  // A lock on what routing reads keeps the pipeline busy while another event is stored.
  const [first, second] = [customerUpdated(team.projectId), customerUpdated(team.projectId)];
  let stopped: Promise<void> | undefined;
  await service.em.fork().transactional(async tx => {
    await tx.execute(`lock table project_copies in access exclusive mode`);
    await service.send(team, first, { to: stopping });
    const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await waitFor(async () => (await service.sql(waits)).length > 0, { what: 'the pipeline to wait' });
    await service.send(team, second, { to: stopping });
    stopped = stopping[Symbol.asyncDispose]();
  });
  await stopped;
  const due = `select 1 from webhook_events where id = ? and lease_id is null and due_at <= clock_timestamp()`;
  expect(await service.sql(due, [second.id])).toHaveLength(1);
  await service.run();
  for (const { id } of [first, second]) expect(await service.waitForPublications(id)).toHaveLength(1);
});

it('processes each stored event once with several copies side by side', async () => {
  await using service = await startWebhooks();
  const team = await service.newTeam();
  const copies = [service, await service.startCopy(), await service.startCopy()];
  const dead = await service.startCopy({ run: false });
  const ids: string[] = [];
  await Promise.all(
    Array.from({ length: 80 }, async (_, index) => {
      const event = customerUpdated(team.projectId);
      await service.send(team, event, { to: index % 2 ? dead : (copies[index % 3] ?? service) });
      ids.push(event.id);
    }),
  );
  await service.endLeases();
  for (const id of ids) await service.waitForPublications(id);
  await service.emit(...ids.map(id => completed(team, id)));
  expect((await service.list(team, '?status=processed')).pagination.total).toBe(80);
  expect(ids.map(id => service.publicationsOf(id).length)).toEqual(ids.map(() => 1));
});

it('publishes a completed event again under its id, and changes nothing about it, when it is made due', async () => {
  await using service = await startWebhooks();
  const team = await service.newTeam();
  const { teamId, projectId } = team;
  await service.sql('insert into project_copies (team_id, project_id) values (?, ?)', [teamId, projectId]);
  const [id = ''] = await sendEvents(service, team);
  await service.waitForPublications(id);
  await service.emit(completed(team, id));
  await waitFor(async () => (await service.list(team, '?status=processed')).pagination.total > 0, {
    what: 'the event to be complete',
  });
  const recordOf = async () => (await service.list(team, '?limit=100')).webhookEvents.find(event => event.id === id);
  const before = await recordOf();
  const wire = await watchWire(service);
  await service.sql(
    `update webhook_events set awaiting = routed_to, due_at = clock_timestamp() where team_id = ? and id = ?`,
    [teamId, id],
  );
  const [publication = ''] = await publicationsOf(service, team, [id]);
  await waitFor(() => wire.includes(publication), { what: 'the event to be published again' });
  const isAlone = async () =>
    (await service.sql('select 1 from webhook_events where id = ? and due_at is null', [id])).length > 0;
  await waitFor(isAlone, { what: 'the event to be left alone' });
  expect(await recordOf()).toEqual(before);
});

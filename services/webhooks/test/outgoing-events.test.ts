import type { PublicEventContent } from '@billing/contracts/events/public-data';
import { CustomerId, type ProjectId, type TeamId } from '@billing/contracts/ids';
import type { PublicEvent } from '@billing/contracts/resources/event';
import { recordEventOf } from '@billing/testing/record-events';
import { runs } from '@billing/testing/runs';
import { waitFor } from '@billing/testing/wait-for';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { maintainPartitions, preparePartitions } from '../src/outgoing/partitions.ts';
import { recordChanges } from '../src/outgoing/record-events.ts';
import { requireCounted } from './count-stored.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks({ reconciler: false, env: { SYNC_NIGHTLY: 'off' } });
});
afterEach(() => requireCounted(service.em));
afterAll(() => service[Symbol.asyncDispose]());

interface Page {
  readonly events: readonly (Omit<PublicEvent, 'timestamp'> & { readonly timestamp: string })[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

const newScope = () => service.newTeam();

/** A change of a customer, as its service publishes it. */
const change = (projectId: ProjectId, id: CustomerId, sequence: number, more: Partial<PublicEventContent> = {}) =>
  ({
    projectId,
    type: sequence === 1 ? 'customer.created' : 'customer.updated',
    object: { type: 'customer', id, sequence },
    at: new Date('2026-03-02T09:30:00.000Z'),
    cause: { type: 'api', requestId: 'req_1', processorEventId: null },
    data: { id, projectId, name: `Ada ${sequence}` },
    previousAttributes: sequence === 1 ? null : { name: `Ada ${sequence - 1}` },
    ...more,
  }) satisfies PublicEventContent;

const emit = (teamId: TeamId, changes: readonly PublicEventContent[]) =>
  service.emit(...changes.map(one => recordEventOf(teamId, one)));

const read = async (of: Pick<Team, 'teamId' | 'projectId'>, query = ''): Promise<Page> =>
  (await service.call('GET', `/events${query}`, { of, as: service.identity.asUser(of) })).body as Page; // the API's shape

/** Reads all events by cursor, page by page. */
async function readAll(of: Pick<Team, 'teamId' | 'projectId'>, limit: number) {
  const events = [];
  let cursor = '';
  for (;;) {
    const page = await read(of, `?limit=${limit}${cursor}`);
    events.push(...page.events);
    if (!page.hasMore) return events;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

it('records what was published twice once, and gives the event as it was', async () => {
  const team = await newScope();
  const id = CustomerId.create();
  const first = change(team.projectId, id, 1);
  await emit(team.teamId, [first, first]);
  await emit(team.teamId, [first]);
  const { events, hasMore } = await read(team);
  expect(hasMore).toBe(false);
  expect(events).toEqual([
    {
      id: expect.stringMatching(/^ev_/),
      type: 'customer.created',
      timestamp: '2026-03-02T09:30:00.000Z',
      apiVersion: '2026-12-01',
      livemode: false,
      teamId: team.teamId,
      projectId: team.projectId,
      position: 1,
      object: { type: 'customer', id, sequence: 1 },
      cause: first.cause,
      data: first.data,
      previousAttributes: null,
    },
  ]);
  const got = await service.call('GET', `/events/${events[0]?.id}`, { of: team, as: service.identity.asUser(team) });
  expect(got.body).toEqual({ event: events[0] });
});

it('gives positions without gaps and keeps each object in order, however its changes arrive', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.nat()),
      fc.integer({ min: 1, max: 5 }),
      async (lengths, dice, limit) => {
        const team = await newScope();
        const changes = lengths.flatMap(length => {
          const id = CustomerId.create();
          return Array.from({ length }, (_, index) => change(team.projectId, id, index + 1));
        });
        const shuffled = [...changes, ...changes.slice(0, 2)].toSorted(() => (Number(dice.next().value) % 3) - 1);
        await Promise.all(shuffled.map(one => emit(team.teamId, [one])));
        await waitFor(async () => (await readAll(team, 100)).length === changes.length, { what: 'every change' });
        const events = await readAll(team, limit);
        expect(events.map(({ position }) => position)).toEqual(changes.map((_, index) => index + 1));
        for (const [, ofObject] of Map.groupBy(events, ({ object }) => object.id))
          expect(ofObject.map(({ object }) => object.sequence)).toEqual(ofObject.map((_, index) => index + 1));
      },
    ),
    { numRuns: runs(24) },
  );
});

it('goes on behind events that a filter leaves out', async () => {
  const team = await newScope();
  const id = CustomerId.create();
  expect((await read(team, '?types=invoice.paid')).nextCursor).toBeNull();
  await emit(team.teamId, [change(team.projectId, id, 1)]);
  await waitFor(async () => (await read(team)).events.length === 1, { what: 'the first event' });
  const filtered = await read(team, '?types=invoice.paid');
  expect(filtered).toMatchObject({ events: [], hasMore: false, nextCursor: expect.any(String) });
  await emit(team.teamId, [change(team.projectId, id, 2)]);
  await waitFor(async () => (await read(team)).events.length === 2, { what: 'the next event' });
  const next = await read(team, `?cursor=${filtered.nextCursor}`);
  expect(next.events.map(({ position }) => position)).toEqual([2]);
  const { nextCursor } = next;
  expect(await read(team, `?cursor=${nextCursor}`)).toEqual({ events: [], hasMore: false, nextCursor });
  expect((await read(team, '?order=desc&types=invoice.paid')).nextCursor).toBeNull();
});

it('waits for the next event for as long as it is asked to', async () => {
  const team = await newScope();
  const { nextCursor } = await read(team);
  expect(nextCursor).toBeNull();
  const waiting = read(team, '?waitMs=20000');
  await emit(team.teamId, [change(team.projectId, CustomerId.create(), 1)]);
  const page = await waiting;
  expect(page.events).toHaveLength(1);
  expect((await read(team, `?cursor=${page.nextCursor}`)).nextCursor).toBe(page.nextCursor);
});

it('sends a very long event without what it is about', async () => {
  const team = await newScope();
  const id = CustomerId.create();
  await emit(team.teamId, [
    change(team.projectId, id, 1, { data: { id, name: 'ä'.repeat(40_000) } }),
    change(team.projectId, id, 1, {
      type: 'customer.state_changed',
      object: { type: 'customer_state', id, sequence: 1 },
      data: undefined,
    }),
  ]);
  const { events } = await read(team);
  const truncated = { truncated: true, object: { id } };
  expect(events).toMatchObject([truncated, truncated]);
  for (const one of events) expect(Object.keys(one)).not.toEqual(expect.arrayContaining(['data']));
});

it('filters by type, object and time, from the newest back too, and refuses a foreign cursor', async () => {
  const [team, other] = [await newScope(), await newScope()];
  const [ada, bob] = [CustomerId.create(), CustomerId.create()];
  const late = new Date('2026-03-03T00:00:00.000Z');
  await emit(team.teamId, [change(team.projectId, ada, 1), change(team.projectId, bob, 1, { at: late })]);
  await emit(team.teamId, [change(team.projectId, ada, 2, { at: late })]);
  const ids = async (query: string) =>
    (await read(team, query)).events.map(({ object }) => [object.id, object.sequence]);
  expect(await ids('?types=customer.updated,invoice.paid')).toEqual([[ada, 2]]);
  expect(await ids('?types=invoice.*,customer.*')).toHaveLength(3);
  expect(await ids('?types=*')).toHaveLength(3);
  expect(await ids(`?objectId=${ada}`)).toEqual([
    [ada, 1],
    [ada, 2],
  ]);
  expect(await ids('?since=2026-03-03T00:00:00.000Z&order=desc')).toEqual([
    [ada, 2],
    [bob, 1],
  ]);
  expect(await ids('?until=2026-03-03T00:00:00.000Z')).toEqual([[ada, 1]]);
  const { nextCursor } = await read(team, '?limit=1');
  const foreign = await service.call('GET', `/events?cursor=${nextCursor}`, {
    of: other,
    as: service.identity.asUser(other),
  });
  expect(foreign.status).toBe(400);
});

it('erases a deleted customer from its stored events, and sends none of them again', async () => {
  const team = await newScope();
  const [ada, bob] = [CustomerId.create(), CustomerId.create()];
  const personal = { email: 'ada@example.com', name: 'Ada', externalId: 'a1', metadata: { phone: '1' } };
  const data = { id: ada, ...personal, createdAt: '2026-03-02T09:30:00.000Z' };
  await emit(team.teamId, [
    change(team.projectId, ada, 1, { data }),
    change(team.projectId, ada, 2, { data, previousAttributes: { email: 'old@example.com', createdAt: null } }),
    change(team.projectId, bob, 1),
  ]);
  await emit(team.teamId, [
    change(team.projectId, ada, 3, {
      type: 'customer.deleted',
      data: { id: ada },
      previousAttributes: { deletedAt: null },
    }),
  ]);
  await waitFor(async () => (await readAll(team, 100)).length === 4, { what: 'every event' });
  const events = await readAll(team, 100);
  const [first, second] = events.filter(({ object }) => object.id === ada);
  expect(first?.data).toMatchObject({ id: ada, email: null, metadata: {}, createdAt: data.createdAt });
  expect(Object.keys(Object(first?.data))).not.toContain('name');
  expect(second?.previousAttributes).toEqual({ createdAt: null });
  expect(events.find(({ object }) => object.id === bob)?.data).toMatchObject({ name: 'Ada 1' });
  const as = service.identity.asUser(team);
  const made = await service.call('POST', '/webhook-endpoints', {
    of: team,
    as,
    body: { url: 'https://hooks.example/' },
  });
  const send = (eventId: string | undefined) =>
    service.call('POST', `/webhook-endpoints/${made.body.webhookEndpoint.id}/send`, {
      of: team,
      as,
      body: { eventId },
    });
  expect(await send(first?.id)).toMatchObject({ status: 422, body: { error: { code: 'event_deleted' } } });
});

it('erases a deleted customer from its states too, but not the last one, which has nothing to erase', async () => {
  const team = await newScope();
  const id = CustomerId.create();
  const named = { id, externalId: 'a1', email: 'ada@example.com' };
  const state = (sequence: number, customer: object, previous: object | null) =>
    change(team.projectId, id, sequence, {
      type: 'customer.state_changed',
      object: { type: 'customer_state', id, sequence },
      data: { customer, entitlements: { seats: sequence } },
      previousAttributes: previous && { ...previous, entitlements: { seats: sequence - 1 } },
    });
  await emit(team.teamId, [change(team.projectId, id, 1), state(1, named, null)]);
  await waitFor(async () => (await readAll(team, 100)).length === 2, { what: 'the first state' });
  await emit(team.teamId, [change(team.projectId, id, 2, { type: 'customer.deleted', data: { id } })]);
  await waitFor(async () => (await readAll(team, 100)).length === 3, { what: 'the deletion' });
  // One that was published before its service consumed the deletion.
  const nobody = { id, externalId: null, email: null };
  await emit(team.teamId, [
    state(2, named, { customer: { ...named, email: 'old@example.com' } }),
    state(3, nobody, {}),
  ]);
  await waitFor(async () => (await readAll(team, 100)).length === 5, { what: 'every event' });
  const states = (await readAll(team, 100)).filter(({ object }) => object.type === 'customer_state');
  expect(states.map(({ data, previousAttributes }) => [data, previousAttributes])).toEqual([
    [{ customer: nobody, entitlements: { seats: 1 } }, null],
    [{ customer: nobody, entitlements: { seats: 2 } }, { entitlements: { seats: 1 } }],
    [{ customer: nobody, entitlements: { seats: 3 } }, { entitlements: { seats: 2 } }],
  ]);
  const erased = await service.sql(
    `select is_erased as "isErased" from events where object_type = 'customer_state' and object_id = '${id}' order by sequence`,
  );
  expect(erased.map(({ isErased }) => isErased)).toEqual([true, true, false]);
});

it('records an event that a later one of its object did not wait for, once it comes', async () => {
  const team = await newScope();
  const id = CustomerId.create();
  const later = { teamId: team.teamId, ...change(team.projectId, id, 2) };
  await service.em.fork().transactional(tx => recordChanges(tx, [{ changes: [later], hasWaited: true }]));
  await emit(team.teamId, [change(team.projectId, id, 1), change(team.projectId, id, 3)]);
  await emit(team.teamId, [change(team.projectId, id, 1), change(team.projectId, id, 2)]);
  await waitFor(async () => (await readAll(team, 100)).length === 3, { what: 'every event' });
  const events = await readAll(team, 100);
  expect(events.map(({ position }) => position)).toEqual([1, 2, 3]);
  expect(events.map(({ object }) => object.sequence).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
});

it('has a partition for each coming day while somebody reads, and drops those before the retention', async () => {
  const partitions = async () =>
    (await service.sql(`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass`))
      .map(({ name }) => String(name))
      .toSorted();
  const before = await partitions();
  const now = new Date(Date.now() + 9 * 86_400_000);
  await service.em.fork().transactional(async reading => {
    await reading.execute('select 1 from events limit 1');
    await preparePartitions(service.em, { now });
  });
  const prepared = await partitions();
  expect(prepared).toEqual(expect.arrayContaining(before));
  expect(prepared).toHaveLength(before.length + 9);
  await maintainPartitions(service.em, { now, retentionDays: 2 });
  await maintainPartitions(service.em, { now, retentionDays: 2 });
  const day = new Date(now.getTime() - 2 * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
  expect(await partitions()).toEqual(prepared.filter(name => name >= `events_${day}`));
});

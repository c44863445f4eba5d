import { CustomerCreated } from '@billing/contracts/events/customers';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { customerState, listen, settle, tell } from './bus.ts';
import { aCustomer, anEvent, startService, type Service, type Team } from './service.ts';

let service: Service;
let bus: ReturnType<typeof listen>;

beforeAll(async () => {
  service = await startService();
  bus = listen(service);
});
afterAll(() => service[Symbol.asyncDispose]());

/** Sends an event that names its project, and waits until the project was told. */
async function sendRouted(team: Team) {
  const event = anEvent('customer.updated', aCustomer(team.projectId));
  await service.send(team, event);
  const [fact] = await bus.waitForFacts(event.id, 'customer.updated');
  return { eventId: event.id, factId: fact?.id };
}

const waitForStatus = (team: Team, eventId: string, status: string) =>
  waitFor(
    async () => {
      const record = await service.recordOf(team, eventId);
      return record?.status === status ? record : undefined;
    },
    { what: `the event to be ${status}`, timeoutMs: 10_000 },
  );

const waitForChanges = (eventId: string, count: number) =>
  waitFor(() => (bus.changesOf(eventId).length >= count ? bus.changesOf(eventId) : undefined), {
    what: `${count} changes to be told`,
    timeoutMs: 10_000,
  });

it('tells a record once it is settled, and says no more of it', async () => {
  const team = await service.newTeam();
  const { eventId } = await sendRouted(team);
  const report = 'fd7d1a26-4ef5-4d4f-9bd8-1a0f3f0c2a11';
  await settle(service, team.teamId, eventId, team.projectId, { attempts: 3 }, report);
  const record = await waitForStatus(team, eventId, 'processed');
  expect(record).toMatchObject({ attempts: 3, error: null, processedAt: expect.any(String) });
  await settle(service, team.teamId, eventId, team.projectId, { outcome: 'failed', error: 'late' });
  const { eventId: next } = await sendRouted(team);
  await settle(service, team.teamId, next, team.projectId);
  await waitForStatus(team, next, 'processed');

  await waitForChanges(next, 1);
  const settled = bus.changesOf(eventId).filter(({ status }) => status !== 'received');
  expect(settled.map(({ status, version }) => [status, version])).toEqual([['processed', 3]]);
  expect(await service.recordOf(team, eventId)).toMatchObject({ status: 'processed', error: null });
});

it('tells a record that does not settle at once, once, and again when it has', async () => {
  const team = await service.newTeam();
  const { eventId } = await sendRouted(team);
  await waitForChanges(eventId, 1);
  await settle(service, team.teamId, eventId, team.projectId);
  const changes = await waitForChanges(eventId, 2);
  expect(changes.map(({ status, version }) => [status, version])).toEqual([
    ['received', 2],
    ['processed', 3],
  ]);
  const { rows } = await service.admin.query('select tell_at from webhooks.webhook_events where id = $1', [eventId]);
  expect(rows).toEqual([{ tell_at: null }]);
});

it.each([
  ['failed', 'it was too much'],
  ['ignored', null],
] as const)('keeps that an owner ended as %s', async (outcome, error) => {
  const team = await service.newTeam();
  const { eventId } = await sendRouted(team);
  await settle(service, team.teamId, eventId, team.projectId, { outcome, error, attempts: 8 });
  expect(await waitForStatus(team, eventId, outcome)).toMatchObject({ error, attempts: 8 });
});

it('waits for every project that got the event, and has failed if it failed in any', async () => {
  const team = await service.newTeam();
  const second = service.newProject(team.teamId);
  const customer = aCustomer(team.projectId);
  await tell(service, CustomerCreated, team.teamId, customerState(second, customer.id));
  await waitFor(
    () =>
      service.admin
        .query('select 1 from webhooks.routes where processor_id = $1', [customer.id])
        .then(found => found.rowCount),
    { what: 'the route' },
  );
  const event = anEvent('customer.updated', customer);
  await service.send(team, event);
  await bus.waitForFacts(event.id, 'customer.updated', 2);

  await settle(service, team.teamId, event.id, second, { outcome: 'failed', error: 'no luck', attempts: 8 });
  await waitFor(
    () =>
      service.admin
        .query('select 1 from webhooks.webhook_events where id = $1 and cardinality(failed_in) = 1', [event.id])
        .then(found => found.rowCount),
    { what: 'the first report' },
  );
  expect(await service.recordOf(team, event.id)).toMatchObject({ status: 'received', processedAt: null });
  await settle(service, team.teamId, event.id, team.projectId);
  expect(await waitForStatus(team, event.id, 'failed')).toMatchObject({ error: 'no luck', attempts: 8 });

  // Only the project in which it failed is told again.
  expect((await service.replay(team, event.id)).statusCode).toBe(200);
  const facts = await bus.waitForFacts(event.id, 'customer.updated', 3);
  expect(facts[2]?.data.projectId).toBe(second);
  await settle(service, team.teamId, event.id, second);
  await waitForStatus(team, event.id, 'processed');
});

it('replays a failed event under a new id, and no other event', async () => {
  const team = await service.newTeam();
  const { eventId, factId } = await sendRouted(team);
  const code = async (status: number, of: Pick<Team, 'teamId' | 'projectId'> = team) => {
    const response = await service.replay(of, eventId);
    expect(response.statusCode).toBe(status);
    return response.json().error?.code;
  };
  expect(await code(409)).toBe('webhook_event_not_failed');
  const report = '3f2a0e44-7b0a-4f64-8f0e-0c7a8a3f7d10';
  await settle(service, team.teamId, eventId, team.projectId, { outcome: 'failed', error: 'bug', attempts: 8 }, report);
  await waitForStatus(team, eventId, 'failed');
  expect(await code(404, { teamId: team.teamId, projectId: service.newProject(team.teamId) })).toBe(
    'webhook_event_not_found',
  );

  const replayed = await service.replay(team, eventId);
  expect(replayed.json().webhookEvent).toMatchObject({
    status: 'received',
    attempts: 0,
    error: null,
    processedAt: null,
  });
  const facts = await bus.waitForFacts(eventId, 'customer.updated', 2);
  expect(facts[1]?.id).not.toBe(factId);
  expect(facts[1]?.data).toEqual(facts[0]?.data);
  expect(await code(409)).toBe('webhook_event_not_failed');

  // The old report, delivered once more, says nothing of the new try.
  service.bus.nats.publish(
    `${service.bus.root}.processor-event.completed.v1`,
    JSON.stringify(bus.heard.findLast(({ id }) => id === report)),
  );
  await settle(service, team.teamId, eventId, team.projectId);
  expect(await waitForStatus(team, eventId, 'processed')).toMatchObject({ attempts: 1, error: null });
});

it('lists a project’s own events only, newest first, by status and type and in pages', async () => {
  const team = await service.newTeam();
  const other = { ...team, projectId: service.newProject(team.teamId) };
  const own = [await sendRouted(team), await sendRouted(team), await sendRouted(team)].map(({ eventId }) => eventId);
  const { eventId: foreign } = await sendRouted(other);
  await settle(service, team.teamId, own[1] ?? '', team.projectId);
  await waitForStatus(team, own[1] ?? '', 'processed');
  const ids = async (query: string, of = team) =>
    (await service.list(of, query, service.identity.asKey(of))).webhookEvents.map(({ id }) => id);

  expect(await ids('')).toEqual(own.toReversed());
  expect(await ids('?status=processed')).toEqual([own[1]]);
  expect(await ids('?status=received&type=customer.updated')).toEqual([own[2], own[0]]);
  expect(await ids('?type=invoice.paid')).toEqual([]);
  expect(await ids('?limit=1&offset=1')).toEqual([own[1]]);
  expect(await ids('', other)).toEqual([foreign]);
  expect((await service.list(team, '?limit=1')).pagination).toEqual({ limit: 1, offset: 0, total: 3, hasMore: true });
});

it('settles many reports that come at once', async () => {
  const team = await service.newTeam();
  const events = await Promise.all(Array.from({ length: 40 }, () => sendRouted(team)));
  await Promise.all(events.map(({ eventId }) => settle(service, team.teamId, eventId, team.projectId)));
  await waitFor(async () => (await service.list(team, '?status=processed')).pagination.total === 40, {
    what: 'all to be processed',
    timeoutMs: 10_000,
  });
  for (const { eventId } of events) {
    const told = await waitForChanges(eventId, 1);
    expect(told.filter(({ status }) => status === 'processed')).toHaveLength(1);
  }
});

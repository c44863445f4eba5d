import { CustomerCreated } from '@billing/contracts/events/customers';
import { MIRRORING_SERVICES, PurgeFinished, PurgeReported, PurgeStarted } from '@billing/contracts/events/webhooks';
import { customerState } from '@billing/testing/customer-state';
import { newEvent } from '@billing/testing/events';
import { deliveredAgain } from '@billing/testing/processor-events';
import { projectCreated } from '@billing/testing/projects';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readEvent } from '../src/receipt/incoming-event.rules.ts';
import { openWindow } from '../src/pipeline/lease.ts';
import { storeEvents } from '../src/receipt/store.ts';
import { completed } from './domain-events.ts';
import { unlimited, withoutQueue } from './reconciling.ts';
import { newCredentials, startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks({ reconciler: false });
});
afterAll(() => service[Symbol.asyncDispose]());

const disconnect = ({ teamId }: Team, query = '', body?: object) =>
  service.call('DELETE', `/api/service/teams/${teamId}/processor${query}`, {
    as: service.identity.asUser({ teamId }),
    ...(body && { body }),
  });
const purge = (team: Team) => disconnect(team, '?purge=true', { confirm: 'Acme' });

const eventOf = ({ teamId }: Team, type: typeof PurgeStarted | typeof PurgeFinished) =>
  waitFor(() => service.received.find(event => event.type === type.name && event.teamId === teamId), {
    what: type.name,
  });
/** Reports the step of a purge for every other service. */
const reportFor = async (team: Team, step: 'started' | 'finished', at = new Date()) => {
  const { data } = await eventOf(team, step === 'started' ? PurgeStarted : PurgeFinished);
  const { purgeId } = PurgeStarted.data.parse(data);
  const others = MIRRORING_SERVICES.filter(name => name !== 'webhooks');
  const reports = others.map(name => newEvent(PurgeReported, team.teamId, { purgeId, step, service: name, at }));
  // One comes twice.
  await service.emit(...reports, ...reports.slice(0, 1).map(deliveredAgain));
};

/** A team with a project, a customer and an event that its project has handled. */
async function newTeamWithRecords() {
  const team = await service.newTeam();
  const { teamId, projectId } = team;
  await service.emit(projectCreated(team));
  const customer = customerState({ projectId, processorCustomerId: 'cus_1' });
  await service.emit(newEvent(CustomerCreated, teamId, customer));
  await service.emit(completed(team, await publish(team)));
  await waitFor(async () => (await service.sql('select 1 from routes where team_id = ?', [teamId])).length === 1, {
    what: 'the route to be saved',
  });
  return { team, customer };
}

/** Sends an event, and waits until it is published; returns its id. */
async function publish(team: Team): Promise<string> {
  const event = customerUpdated(team.projectId);
  await service.send(team, event);
  await service.waitForPublications(event.id);
  return event.id;
}

const countRows = async ({ teamId }: Team) => {
  const [row] = await service.sql(
    `select (select count(*)::int from webhook_events where team_id = ?) as events,
            (select count(*)::int from routes where team_id = ?) as routes,
            (select count(*)::int from pg_namespace where nspname = ?) as schemas`,
    [teamId, teamId, teamId],
  );
  return row;
};

it('asks for the name of the team before it deletes anything', async () => {
  const team = await service.newTeam();
  for (const body of [undefined, {}, { confirm: 'acme' }, { confirm: '' }]) {
    const response = await disconnect(team, '?purge=true', body);
    expect([response.status, response.body.error.code]).toEqual([422, 'confirmation_required']);
  }
  expect((await disconnect(team, '?purge=yes', { confirm: 'Acme' })).status).toBe(400);
  // It is connected still.
  expect((await service.send(team, customerUpdated(team.projectId))).status).toBe(200);
});

it('deletes events, routes and the team’s schema, and then connects another account', async () => {
  const { team } = await newTeamWithRecords();
  const { teamId, projectId } = team;
  // This one is in flight.
  await publish(team);
  expect(await countRows(team)).toEqual({ events: 2, routes: 1, schemas: 1 });
  expect((await purge(team)).status).toBe(200);
  // A repeated request lets the purge go on.
  expect((await purge(team)).status).toBe(200);
  await waitFor(async () => JSON.stringify(await countRows(team)) === '{"events":0,"routes":0,"schemas":0}', {
    what: 'the records to be deleted',
  });
  const other = newCredentials();
  const early = await service.connect(teamId, other);
  expect([early.status, early.body.error.code]).toEqual([409, 'processor_purge_running']);
  const find = async () =>
    (await service.call('GET', `/api/service/teams/${teamId}/processor`, { as: service.identity.asUser(team) })).body;
  expect(await find()).toMatchObject({ isPurging: true, lastAccount: { livemode: false } });

  await reportFor(team, 'started');
  await reportFor(team, 'finished');
  await waitFor(async () => !(await find()).isPurging, { what: 'the purge to end' });
  expect(await find()).toMatchObject({ processor: null, lastAccount: null });
  const connected = await waitFor(
    async () => {
      const response = await service.connect(teamId, other);
      return response.status === 200 ? response : undefined;
    },
    { what: 'another account to be connected' },
  );
  expect(connected.body.processor.accountId).toBe((await service.processorOf(other).findAccount()).accountId);
  const started = service.received.filter(event => event.type === PurgeStarted.name && event.teamId === teamId);
  expect(started.map(({ data }) => data)).toMatchObject([{ projectIds: [projectId] }]);

  await publish({ ...team, ...other });
  expect(await countRows(team)).toEqual({ events: 1, routes: 0, schemas: 1 });
});

it('drops events about what was purged, however late they come, and takes in what comes after', async () => {
  const { team, customer } = await newTeamWithRecords();
  const { teamId, projectId } = team;
  const late = newEvent(CustomerCreated, teamId, { ...customer, version: 7 });
  await purge(team);
  await waitFor(async () => (await countRows(team))?.['routes'] === 0, { what: 'the purge' });
  // While it runs, whatever a service that has not received its event still publishes.
  await service.emit(newEvent(CustomerCreated, teamId, { ...customer, version: 8 }));
  // By the clock of another machine.
  const until = new Date(Date.now() + 2_000);
  await reportFor(team, 'started', until);
  await reportFor(team, 'finished', until);
  await waitFor(
    async () => (await service.sql('select 1 from account_purges where team_id = ?', [teamId])).length === 0,
    { what: 'the purge to end' },
  );
  const newCustomer = (processorId: string, occurredAt: Date) => ({
    ...newEvent(CustomerCreated, teamId, customerState({ projectId, processorCustomerId: processorId })),
    occurredAt,
  });
  await service.emit(late, newCustomer('cus_old', until), newCustomer('cus_new', new Date(until.getTime() + 1)));
  const routes = () => service.sql('select processor_id as id from routes where team_id = ?', [teamId]);
  await waitFor(async () => (await routes()).length > 0, { what: 'the new route' });
  expect(await routes()).toEqual([{ id: 'cus_new' }]);
});

it('deletes nothing of what came after it when the event of a purge comes once more', async () => {
  const { team } = await newTeamWithRecords();
  const { teamId, projectId } = team;
  await purge(team);
  const started = await eventOf(team, PurgeStarted);
  await reportFor(team, 'started');
  const finished = await eventOf(team, PurgeFinished);
  await reportFor(team, 'finished');
  await waitFor(async () => (await service.connect(teamId, newCredentials())).status === 200, {
    what: 'another account to be connected',
  });
  await service.emit(newEvent(CustomerCreated, teamId, customerState({ projectId, processorCustomerId: 'cus_new' })));
  await waitFor(async () => (await countRows(team))?.['routes'] === 1, { what: 'the new route' });

  for (const event of [started, finished]) await service.deliver(deliveredAgain(event));
  expect(await countRows(team)).toMatchObject({ routes: 1 });
  await service.emit(newEvent(CustomerCreated, teamId, customerState({ projectId, processorCustomerId: 'cus_newer' })));
  await waitFor(async () => (await countRows(team))?.['routes'] === 2, { what: 'the team to be open' });
});

it('purges a team that was disconnected before', async () => {
  const { team } = await newTeamWithRecords();
  await disconnect(team);
  service.mirrored.set(team.teamId, { records: { customers: 1 }, operations: 0 });
  expect((await service.connect(team.teamId, newCredentials())).body.error.code).toBe('processor_mismatch');
  expect((await purge(team)).status).toBe(200);
  await waitFor(async () => (await countRows(team))?.['events'] === 0, { what: 'the purge' });
});

it('disconnects once the events are stored that are being stored, so that the purge deletes them', async () => {
  const { team } = await newTeamWithRecords();
  const event = customerUpdated(team.projectId);
  // Whoever stores the event waits for this transaction.
  const blocker = service.em.fork();
  await blocker.begin();
  await blocker.execute(
    `insert into webhook_events select (jsonb_populate_record(e, jsonb_build_object('id', ?::text))).*
       from webhook_events e where team_id = ?`,
    [event.id, team.teamId],
  );
  const waiting = async () => {
    const [row] = await service.sql(
      `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return Number(row?.['count']);
  };
  const sending = service.send(team, event);
  await waitFor(async () => (await waiting()) === 1, { what: 'the event to wait' });
  const purging = purge(team);
  await waitFor(async () => (await waiting()) === 2, { what: 'the purge to wait' });
  await blocker.rollback();
  expect([(await sending).status, (await purging).status]).toEqual([200, 200]);
  await waitFor(async () => (await countRows(team))?.['events'] === 0, { what: 'the purge' });
});

it('keeps nothing that is acknowledged while a purge runs, at whichever copy, and takes in what the next account sends', async () => {
  const { team } = await newTeamWithRecords();
  const { teamId, projectId } = team;
  const stale = storeEvents({
    em: service.em,
    stored: withoutQueue(),
    rooms: openWindow(service.em),
    quota: unlimited,
  });
  const [{ id: secretId } = {}] = await service.sql('select id from signing_secrets where team_id = ?', [teamId]);
  const { accountId } = await service.processorOf(team).findAccount();
  /** As a copy of the service stores it that still has the secret in memory. */
  const storeLate = async (event: object) => {
    const read = readEvent(Buffer.from(JSON.stringify(event)), new Date());
    const from = { accountId, secretId: String(secretId) };
    return (await stale([{ teamId, event: read, trace: {}, from }]))[0];
  };
  expect(await storeLate(customerUpdated(projectId))).toBe('new');

  const over = new AbortController();
  const sendAll = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) await service.send(team, customerUpdated(projectId));
  });
  await purge(team);
  expect(await storeLate(customerUpdated(projectId))).toBe('refused');
  await reportFor(team, 'started');
  await reportFor(team, 'finished');
  const credentials = newCredentials();
  const next = { ...team, ...credentials };
  await waitFor(async () => (await service.connect(teamId, credentials)).status === 200, {
    what: 'another account to be connected',
  });
  expect(await storeLate(customerUpdated(projectId))).toBe('refused');
  over.abort();
  await Promise.all(sendAll);
  expect((await countRows(team))?.['events']).toBe(0);
  await publish(next);
});

it('disconnects although events are stored all the time', async () => {
  await using resources = new AsyncDisposableStack();
  const team = await service.newTeam();
  const { teamId, projectId } = team;
  await service.sql(
    `create function store_slowly() returns trigger language plpgsql as
       $$ begin if new.team_id = '${teamId}' then perform pg_sleep(0.05 + random() * 0.3); end if; return new; end $$`,
  );
  await service.sql(`create trigger slow before insert on webhook_events for each row execute function store_slowly()`);
  resources.defer(async () => void (await service.sql('drop function store_slowly cascade')));
  const [{ id: secretId } = {}] = await service.sql('select id from signing_secrets where team_id = ?', [teamId]);
  const { accountId } = await service.processorOf(team).findAccount();
  const from = { accountId, secretId: String(secretId) };
  const store = storeEvents({
    em: service.em,
    stored: withoutQueue(),
    rooms: openWindow(service.em),
    quota: unlimited,
  });
  // At any time several of them are under way.
  const storing = Array.from({ length: 4 }, async () => {
    for (let outcome = 'new'; outcome === 'new';) {
      const event = readEvent(Buffer.from(JSON.stringify(customerUpdated(projectId))), new Date());
      [outcome = 'refused'] = await store([{ teamId, event, trace: {}, from }]);
    }
  });
  await waitFor(async () => Number((await countRows(team))?.['events']) > 4, { what: 'events to be stored' });
  expect((await disconnect(team)).status).toBe(200);
  await Promise.all(storing);
});

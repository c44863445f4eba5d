import { ENDPOINT_EVENT_TYPES } from '@billing/contracts/processor-events';
import { API_VERSION, stripeClient } from '@billing/processor/stripe-client';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimTeams } from '#healing/claim-team.ts';
import { listen } from './bus.ts';
import { startGateway } from './gateway.ts';
import { healNow, healingOf, newTeamWithEndpoint, startEagerHealer } from './healing.ts';
import { newCredentials, startService, type Service, type Team } from './service.ts';

let service: Service;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let bus: ReturnType<typeof listen>;

beforeAll(async () => {
  service = await startService();
  gateway = await startGateway(service);
  bus = listen(service);
});
afterAll(async () => {
  gateway.close();
  await service[Symbol.asyncDispose]();
});

/** Makes customers of the team's project at the processor, each of which is an event; answers their ids. */
async function makeCustomers(team: Team, count: number): Promise<string[]> {
  const { projectId } = team;
  const processor = service.processorOf(team);
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const email = `ada${index}@example.com`;
    ids.push((await processor.createCustomer({ email, metadata: { projectId } }, `customer ${index}`)).id);
  }
  return ids;
}

const cursorOf = async ({ teamId }: Team) =>
  (await service.admin.query('select * from webhooks.healing_cursors where team_id = $1', [teamId])).rows[0];

/** The team's records by what they are about. */
async function recordsByObject(team: Team) {
  const { rows } = await service.admin.query(
    'select id, object_id, recovered, api_version, status from webhooks.webhook_events where team_id = $1',
    [team.teamId],
  );
  return Map.groupBy(rows, row => String(row.object_id));
}

it('takes in every event that no webhook brought, once, as if one had, and marks it', async () => {
  const team = await newTeamWithEndpoint(service, gateway.url);
  const control = service.controlOf(team);
  const delivered = await makeCustomers(team, 1);
  await control.deliveriesSettled();
  await control.setDeliveryRules({ dropNext: 120 });
  // The first customer is made again under its key, which is no event.
  const all = await makeCustomers(team, 121);
  const dropped = all.filter(id => !delivered.includes(id));

  expect(await healNow(service, team)).toBe(120);
  expect(await healNow(service, team)).toBe(0);
  const records = await recordsByObject(team);
  expect([...records.keys()].toSorted()).toEqual(all.toSorted());
  for (const id of dropped) expect(records.get(id)).toMatchObject([{ recovered: true, api_version: API_VERSION }]);
  for (const id of delivered) expect(records.get(id)).toMatchObject([{ recovered: false }]);

  const events = dropped.flatMap(id => records.get(id) ?? []).map(({ id }) => String(id));
  for (const id of events) {
    const [fact, ...more] = await bus.waitForFacts(id, 'customer.created');
    expect([fact?.data.projectId, more.length]).toEqual([team.projectId, 0]);
  }
  expect(await service.recordOf(team, events[0] ?? '')).toMatchObject({ recovered: true, routedBy: 'object-metadata' });
  expect(await cursorOf(team)).toMatchObject({ looked_back: true, claim_id: null, failures: 0 });
}, 90_000);

it('finds what went undelivered before the team was connected, and of the rest only what came after', async () => {
  const credentials = newCredentials();
  const stripe = stripeClient(credentials.secretKey, service.stripe.url);
  await stripe.customers.create({ email: 'before@example.com' });
  // Nobody listens there: what is posted stays undelivered.
  await stripe.webhookEndpoints.create({ url: 'http://127.0.0.1:9/', enabled_events: ['*'] });
  const missed = await stripe.customers.create({ email: 'missed@example.com' });
  const team = await service.newTeam();
  await service.connect(team.teamId, credentials);
  await service.admin.query(
    `update webhooks.processor_accounts set updated_at = now() + interval '1 hour' where team_id = $1`,
    [team.teamId],
  );
  await service.admin.query('delete from webhooks.healing_cursors where team_id = $1', [team.teamId]);
  expect(await healNow(service, { ...team, ...credentials })).toBe(1);
  expect([...(await recordsByObject(team)).keys()]).toEqual([missed.id]);
});

it('leaves an event alone while its webhook may be on its way', async () => {
  const team = await newTeamWithEndpoint(service, gateway.url);
  await service.controlOf(team).setDeliveryRules({ hold: true });
  const [id = ''] = await makeCustomers(team, 1);
  expect(await healNow(service, team, 3_600_000)).toBe(0);
  // Not forgotten: the next time it is old enough.
  expect(await healNow(service, team, 0)).toBe(1);
  await service.controlOf(team).release();
  await service.controlOf(team).deliveriesSettled();
  expect((await recordsByObject(team)).get(id)).toMatchObject([{ recovered: true }]);
});

it('takes no event for missing that the endpoint never asked for', async () => {
  const team = await newTeamWithEndpoint(service, gateway.url, [...ENDPOINT_EVENT_TYPES]);
  const { projectId } = team;
  const processor = service.processorOf(team);
  const metadata = { projectId };
  const product = await processor.createProduct({ name: 'Pro', metadata }, 'product');
  const recurring = { interval: 'month', intervalCount: 1 } as const;
  const price = await processor.createPrice(
    { productId: product.id, unitAmount: 500, currency: 'usd', recurring, metadata },
    'price',
  );
  const customer = await processor.createCustomer({ email: 'ada@example.com', metadata }, 'customer');
  const session = await processor.createCheckoutSession(
    {
      mode: 'subscription',
      customerId: customer.id,
      line: { priceId: price.id, quantity: 1 },
      successUrl: 'https://shop.example/done',
      cancelUrl: 'https://shop.example',
      metadata,
    },
    'checkout',
  );
  await service.controlOf(team).checkout(session.id);
  await service.controlOf(team).deliveriesSettled();
  const { events } = await processor.listEvents({});
  expect(events.map(({ type }) => type)).toContain('invoice.finalized');
  expect(await healNow(service, team)).toBe(0);
});

it('makes one record of an event that a webhook and two healers bring at the same time', async () => {
  const team = await newTeamWithEndpoint(service, gateway.url);
  const second = await service.startCopy();
  const control = service.controlOf(team);
  await control.setDeliveryRules({ hold: true, copies: 2 });
  const ids = await makeCustomers(team, 15);
  await service.admin.query('delete from webhooks.healing_cursors where team_id = $1', [team.teamId]);
  await using healers = new AsyncDisposableStack();
  for (const copy of [service, second]) healers.defer(startEagerHealer(service, copy));
  await control.setDeliveryRules({ hold: false });
  await control.release({ seed: 7 });
  const records = await waitFor(
    async () => {
      const found = await recordsByObject(team);
      return ids.every(id => found.has(id)) ? found : undefined;
    },
    { what: 'every event', timeoutMs: 30_000 },
  );
  const underWay = async () => (await control.deliveries()).filter(({ status }) => status !== 'delivered');
  await waitFor(async () => (await underWay()).length === 0, { what: 'every webhook', timeoutMs: 30_000 });
  expect([...records.values()].map(({ length }) => length)).toEqual(ids.map(() => 1));
  for (const [record] of records.values())
    expect(await bus.waitForFacts(String(record?.id), 'customer.created')).toHaveLength(1);
}, 90_000);

it('gives a team to one healer at a time, and to another when the first has died', async () => {
  const team = await service.newTeam();
  const copies = [service, await service.startCopy(), await service.startCopy()];
  const claims = await Promise.all(copies.map(({ database }) => claimTeams(database.em, 100)));
  const holders = claims.flat().filter(({ teamId }) => teamId === team.teamId);
  expect(holders).toHaveLength(1);
  const [dead] = holders;
  if (!dead) throw new Error('Nobody holds the team.');

  await service.admin.query('update webhooks.healing_cursors set due_at = now() where team_id = $1', [team.teamId]);
  const [next] = (await claimTeams(service.database.em, 100)).filter(({ teamId }) => teamId === team.teamId);
  expect(next?.claimId).not.toBe(dead.claimId);
  await healingOf(service, service)(dead, { pauseMs: 1, signal: new AbortController().signal });
  expect(await cursorOf(team)).toMatchObject({ claim_id: next?.claimId, looked_back: false });
});

it('waits longer after each failure, and takes everything in once the processor is back', async () => {
  const team = await newTeamWithEndpoint(service, gateway.url);
  const control = service.controlOf(team);
  await control.setDeliveryRules({ dropNext: 3 });
  const ids = await makeCustomers(team, 3);
  await control.fail({ path: '/v1/events', mode: '500', kept: false, times: 1_000 });
  await using healers = new AsyncDisposableStack();
  healers.defer(startEagerHealer(service));
  await service.admin.query('update webhooks.healing_cursors set due_at = now() where team_id = $1', [team.teamId]);
  await waitFor(async () => (await cursorOf(team)).failures >= 2, { what: 'two failures', timeoutMs: 30_000 });
  await control.clearFaults();
  const records = await waitFor(
    async () => {
      const found = await recordsByObject(team);
      return found.size === ids.length ? found : undefined;
    },
    { what: 'the events', timeoutMs: 20_000 },
  );
  await waitFor(async () => (await cursorOf(team)).failures === 0, {
    what: 'the failures to be forgotten',
    timeoutMs: 20_000,
  });
  for (const id of ids) expect(records.get(id)).toMatchObject([{ recovered: true }]);
}, 90_000);

it('lets a team whose processor is slow or refuses the key delay no other, with no transaction open', async () => {
  const [slow, refused, well] = [
    await newTeamWithEndpoint(service, gateway.url),
    await service.newTeam(),
    await newTeamWithEndpoint(service, gateway.url),
  ];
  await service.controlOf(well).setDeliveryRules({ dropNext: 2 });
  const ids = await makeCustomers(well, 2);
  await service.controlOf(slow).fail({ path: '/v1/events', mode: 'slow', delayMs: 60_000, times: 1_000 });
  await service.controlOf(refused).fail({ path: '/v1/events', mode: '429', times: 1_000 });
  await service.admin.query('delete from webhooks.healing_cursors where team_id = any($1)', [
    [slow, refused, well].map(({ teamId }) => teamId),
  ]);
  await using healers = new AsyncDisposableStack();
  healers.defer(startEagerHealer(service));
  await waitFor(async () => (await recordsByObject(well)).size === ids.length, {
    what: 'the events of the team that is well',
    timeoutMs: 20_000,
  });
  await waitFor(async () => (await cursorOf(slow))?.claim_id != null, {
    what: 'the slow team to be in hand',
    timeoutMs: 30_000,
  });
  const { rows } = await service.admin.query(
    `select query from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%' and query like '%healing_cursors%'`,
  );
  expect(rows).toEqual([]);
  await service.controlOf(slow).clearFaults();
}, 90_000);

it('begins anew when the team connects another account', async () => {
  const team = await newTeamWithEndpoint(service, gateway.url);
  await healNow(service, team);
  const before = await cursorOf(team);
  expect(before.looked_back).toBe(true);
  // Its key is new as well, so it is due at once.
  await service.connect(team.teamId, newCredentials());
  const claimed = (await claimTeams(service.database.em, 100)).find(({ teamId }) => teamId === team.teamId);
  expect(claimed).toMatchObject({ lookedBack: false });
  expect(claimed?.accountId).not.toBe(before.account_id);
});

it('passes over an event that cannot be kept, and takes in those around it', async () => {
  const team = await newTeamWithEndpoint(service, gateway.url);
  await service.controlOf(team).setDeliveryRules({ dropNext: 3 });
  const ids = await makeCustomers(team, 3);
  await service.admin.query(`
    create function webhooks.refuse_listed() returns trigger language plpgsql as
      $$ begin if new.object_id = '${ids[1]}' then raise exception 'refused'; end if; return new; end $$;
    create trigger refuse_listed before insert on webhooks.webhook_events
      for each row execute function webhooks.refuse_listed()`);
  try {
    expect(await healNow(service, team)).toBe(2);
  } finally {
    await service.admin.query('drop trigger refuse_listed on webhooks.webhook_events');
  }
  expect([...(await recordsByObject(team)).keys()].toSorted()).toEqual(ids.toSpliced(1, 1).toSorted());
});

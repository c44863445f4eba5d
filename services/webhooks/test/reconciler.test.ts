import { ENDPOINT_EVENT_TYPES, OPTIONAL_EVENT_TYPES } from '@billing/contracts/processor-events';
import { API_VERSION } from '@billing/processor/stripe-client';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaseTeams } from '../src/receipt/reconciliations.ts';
import { startForwardingGateway } from './forwarding-gateway.ts';
import { makeDue, newTeamWithEndpoint, reconcilerOf, reconcileNow, startEagerReconciler } from './reconciling.ts';
import { refuseRows } from './refuse-rows.ts';
import { newCredentials, startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';

/** Its own reconciler does not run. */
let service: WebhooksService;
let gateway: Awaited<ReturnType<typeof startForwardingGateway>>;

beforeAll(async () => {
  service = await startWebhooks({ reconciler: false });
  gateway = await startForwardingGateway(service);
});
afterAll(async () => {
  gateway.close();
  await service[Symbol.asyncDispose]();
});

/** Creates customers of the team's project at Stripe, each of which is an event; returns their ids. */
async function createCustomers(team: Team, count: number): Promise<string[]> {
  const { projectId } = team;
  const processor = service.processorOf(team);
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const email = `ada${index}@example.com`;
    ids.push((await processor.createCustomer({ email, metadata: { projectId } }, `customer ${index}`)).id);
  }
  return ids;
}

const progressOf = async ({ teamId }: Team) =>
  (await service.sql('select * from reconciliations where team_id = ?', [teamId]))[0];

/** The team's records by the object they are about. */
async function recordsByObject(team: Team) {
  const { webhookEvents, pagination } = await service.list(team, '?limit=100');
  const rest = pagination.total > 100 ? (await service.list(team, '?limit=100&offset=100')).webhookEvents : [];
  return Map.groupBy([...webhookEvents, ...rest], ({ objectId }) => String(objectId));
}

it('recovers every event that no webhook delivered, once, and marks it', async () => {
  const team = await newTeamWithEndpoint(service, gateway.url);
  const control = service.controlOf(team);
  const delivered = await createCustomers(team, 1);
  await control.waitForDeliveries();
  await control.setDeliveryRules({ dropNext: 120 });
  // The first customer is created again under its key, which is no event.
  const all = await createCustomers(team, 121);
  const dropped = all.filter(id => !delivered.includes(id));

  expect(await reconcileNow(service, team)).toBe(120);
  expect(await reconcileNow(service, team)).toBe(0);
  const records = await recordsByObject(team);
  expect([...records.keys()].toSorted()).toEqual(all.toSorted());
  for (const id of dropped) expect(records.get(id)).toMatchObject([{ recovered: true, apiVersion: API_VERSION }]);
  for (const id of delivered) expect(records.get(id)).toMatchObject([{ recovered: false }]);

  const events = dropped.flatMap(id => records.get(id) ?? []).map(({ id }) => String(id));
  for (const id of events) {
    const [publication, ...more] = await service.waitForPublications(id, 'customer.created');
    expect([publication?.data.projectId, more.length]).toEqual([team.projectId, 0]);
  }
  expect(await progressOf(team)).toMatchObject({ has_backfilled: true, lease_id: null, failures: 0 });
});

it('recovers what went undelivered before the team connected, and otherwise only later events', async () => {
  const credentials = newCredentials();
  const stripe = service.stripeOf(credentials);
  await stripe.customers.create({ email: 'before@example.com' });
  // Nothing listens there: what is posted stays undelivered.
  await stripe.webhookEndpoints.create({ url: 'http://127.0.0.1:9/', enabled_events: ['*'] });
  const missed = await stripe.customers.create({ email: 'missed@example.com' });
  const team = await service.newTeam();
  await service.connect(team.teamId, credentials);
  // As if it had connected an hour later.
  await service.sql(`update reconciliations set scanned_until = now() + interval '1 hour' where team_id = ?`, [
    team.teamId,
  ]);
  expect(await reconcileNow(service, { ...team, ...credentials })).toBe(1);
  expect([...(await recordsByObject(team)).keys()]).toEqual([missed.id]);
});

it('leaves an event to its webhook until the grace period ends', async () => {
  const team = await newTeamWithEndpoint(service, gateway.url);
  await service.controlOf(team).setDeliveryRules({ hold: true });
  const [id = ''] = await createCustomers(team, 1);
  expect(await reconcileNow(service, team, 3_600_000)).toBe(0);
  expect(await reconcileNow(service, team, 0)).toBe(1);
  await service.controlOf(team).release();
  await service.controlOf(team).waitForDeliveries();
  expect((await recordsByObject(team)).get(id)).toMatchObject([{ recovered: true }]);
});

it('recovers events that the endpoint does not subscribe to only if a record would stay wrong', async () => {
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
      lines: [{ priceId: price.id, quantity: 1 }],
      successUrl: 'https://shop.example/done',
      cancelUrl: 'https://shop.example',
      metadata,
    },
    'checkout',
  );
  await service.controlOf(team).checkout(session.id);
  await service.controlOf(team).waitForDeliveries();
  const { events } = await processor.listEvents({});
  const ofTypes = (types: readonly string[]) => events.filter(({ type }) => types.includes(String(type)));
  const optional = ofTypes(OPTIONAL_EVENT_TYPES);
  expect(optional.map(({ type }) => type)).toContain('invoice.finalized');
  expect(events.length).toBeGreaterThan(optional.length + ofTypes(ENDPOINT_EVENT_TYPES).length);
  expect(await reconcileNow(service, team)).toBe(optional.length);
  expect(await reconcileNow(service, team)).toBe(0);
});

it('records an event once that a webhook and two reconcilers deliver at the same time', async () => {
  const team = await newTeamWithEndpoint(service, gateway.url);
  const second = await service.startCopy();
  const control = service.controlOf(team);
  await control.setDeliveryRules({ hold: true, copies: 2 });
  const ids = await createCustomers(team, 15);
  await using reconcilers = new AsyncDisposableStack();
  for (const copy of [service, second]) reconcilers.defer(startEagerReconciler(copy));
  await makeDue(service, team.teamId);
  await control.setDeliveryRules({ hold: false });
  await control.release({ seed: 7 });
  const records = await waitFor(
    async () => {
      const found = await recordsByObject(team);
      return ids.every(id => found.has(id)) ? found : undefined;
    },
    { what: 'every event' },
  );
  const underWay = async () => (await control.deliveries()).filter(({ status }) => status !== 'delivered');
  await waitFor(async () => (await underWay()).length === 0, { what: 'every webhook' });
  expect([...records.values()].map(({ length }) => length)).toEqual(ids.map(() => 1));
  for (const [record] of records.values())
    expect(await service.waitForPublications(String(record?.id), 'customer.created')).toHaveLength(1);
});

it('leases a team to one reconciler at a time, and to another when the first has died', async () => {
  const team = await service.newTeam();
  const copies = [service, await service.startCopy(), await service.startCopy()];
  const leased = await Promise.all(copies.map(({ em }) => leaseTeams(em, 100)));
  const holders = leased.flat().filter(({ teamId }) => teamId === team.teamId);
  expect(holders).toHaveLength(1);
  const [dead] = holders;
  if (!dead) throw new Error('The team was not leased.');

  await makeDue(service, team.teamId);
  const [next] = (await leaseTeams(service.em, 100)).filter(({ teamId }) => teamId === team.teamId);
  expect(next?.leaseId).not.toBe(dead.leaseId);
  await reconcilerOf(service).reconcile(dead);
  expect(await progressOf(team)).toMatchObject({ lease_id: next?.leaseId, has_backfilled: false });
});

it('waits longer after each failure, and recovers every event once Stripe is back', async () => {
  const team = await newTeamWithEndpoint(service, gateway.url);
  const control = service.controlOf(team);
  await control.setDeliveryRules({ dropNext: 3 });
  const ids = await createCustomers(team, 3);
  await control.fail({ path: '/v1/events', mode: '500', kept: false, times: 1_000 });
  await using reconcilers = new AsyncDisposableStack();
  reconcilers.defer(startEagerReconciler(service));
  await makeDue(service, team.teamId);
  const failures = async () => Number((await progressOf(team))?.['failures']);
  await waitFor(async () => (await failures()) >= 2, { what: 'two failures' });
  await control.clearFaults();
  const records = await waitFor(
    async () => {
      const found = await recordsByObject(team);
      return found.size === ids.length ? found : undefined;
    },
    { what: 'the events' },
  );
  await waitFor(async () => (await failures()) === 0, { what: 'the failures to be reset' });
  for (const id of ids) expect(records.get(id)).toMatchObject([{ recovered: true }]);
});

it('delays no team for another whose account is slow or refuses, and holds no transaction open', async () => {
  const [slow, refused, healthy] = [
    await newTeamWithEndpoint(service, gateway.url),
    await service.newTeam(),
    await newTeamWithEndpoint(service, gateway.url),
  ];
  await service.controlOf(healthy).setDeliveryRules({ dropNext: 2 });
  const ids = await createCustomers(healthy, 2);
  await service.controlOf(slow).fail({ path: '/v1/events', mode: 'slow', delayMs: 2_000, times: 1_000 });
  await service.controlOf(refused).fail({ path: '/v1/events', mode: '429', times: 1_000 });
  await using reconcilers = new AsyncDisposableStack();
  reconcilers.defer(startEagerReconciler(service));
  await waitFor(async () => (await recordsByObject(healthy)).size === ids.length, {
    what: 'the events of the healthy account',
  });
  await waitFor(async () => (await progressOf(slow))?.['lease_id'] !== null, {
    what: 'the slow team to be leased',
  });
  const idle = await service.sql(
    `select query from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%' and query like '%reconciliations%'`,
  );
  expect(idle).toEqual([]);
  await service.controlOf(slow).clearFaults();
});

it('starts again when the team connects another account', async () => {
  const team = await newTeamWithEndpoint(service, gateway.url);
  await reconcileNow(service, team);
  const before = await progressOf(team);
  expect(before).toMatchObject({ has_backfilled: true });
  // Connecting makes the team due at once.
  await service.connect(team.teamId, newCredentials());
  const leased = (await leaseTeams(service.em, 100)).find(({ teamId }) => teamId === team.teamId);
  expect(leased).toMatchObject({ hasBackfilled: false });
  expect(leased?.accountId).not.toBe(before?.['account_id']);
});

it('skips an event that cannot be stored, and recovers those around it', async () => {
  const team = await newTeamWithEndpoint(service, gateway.url);
  await service.controlOf(team).setDeliveryRules({ dropNext: 3 });
  const ids = await createCustomers(team, 3);
  {
    await using resources = new AsyncDisposableStack();
    resources.use(await refuseRows(service, 'insert', `new.object_id = '${ids[1]}'`));
    expect(await reconcileNow(service, team)).toBe(2);
  }
  expect([...(await recordsByObject(team)).keys()].toSorted()).toEqual(ids.toSpliced(1, 1).toSorted());
});

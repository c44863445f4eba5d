import { PriceCreated, ProductCreated } from '@billing/contracts/events/catalog';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import { CustomerId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stateOf } from '../src/state/read-state.ts';
import { findCustomerRecord, findCustomerRecords } from '../src/state/find-customer-records.ts';
import { CustomerCopy } from '../src/copies/customer-copy.entity.ts';
import { DAY_MS, seconds, startEntitledProject } from './entitled-project.ts';
import { BASE_TIME } from './payloads.ts';
import { startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const start = () => startEntitledProject(service);

it('is what the subscriptions give, times their quantity, with each source', async () => {
  const project = await start();
  await project.subscribe(BASE_TIME);
  const { customer, product, price } = project;
  const [subscription] = await project.subscriptions();
  const source = {
    kind: 'subscription',
    id: subscription?.['id'],
    productId: product.id,
    priceId: price.id,
    quantity: 4,
    until: null,
    reason: 'active',
  };
  expect(await project.state()).toEqual({
    customer: { id: customer.id, externalId: null, email: customer.email },
    subscriptions: [{ ...subscription, grants: true, grantsUntil: null }],
    subscriptionsTotal: 1,
    entitlements: {
      seats: { type: 'limit', value: 12, until: null, sources: [{ ...source, value: 12 }] },
      sso: { type: 'boolean', value: true, until: null, sources: [{ ...source, value: true }] },
    },
    payment: {
      status: 'ok',
      pastDueSince: null,
      graceEndsAt: null,
      nextRetryAt: null,
      attempts: 0,
      amountDue: 0,
      currency: null,
      hostedInvoiceUrl: null,
    },
    balance: null,
    pendingCheckouts: [],
    asOf: expect.stringMatching(/Z$/),
  });
});

it('is read of many customers at once, each with what is its own', async () => {
  const [one, two] = [await start(), await start()];
  await one.subscribe(BASE_TIME);
  await two.subscribe(BASE_TIME, { quantity: 2, status: 'past_due' });
  await two.fail(new Date(Date.now() - DAY_MS));
  await two.give({ value: 1 });
  const other = await service.createCustomer(one.scope);
  await service.deliver(newEvent(CustomerCreated, one.scope.teamId, { ...other, deletedAt: new Date() }));
  const wanted = [one, two].map(({ scope, customer: { id } }) => ({ scope, id }));
  const inOtherProject = { scope: two.scope, id: one.customer.id };
  const found = await findCustomerRecords(service.em.fork(), [
    ...wanted,
    inOtherProject,
    { scope: one.scope, id: other.id },
  ]);
  const states = new Map(found.map(each => [each.customer.id, stateOf(each, new Date())]));
  expect(states.size).toBe(3);
  for (const { customer, state } of [one, two]) {
    const { asOf: _, ...read } = await state();
    expect(JSON.parse(JSON.stringify(states.get(customer.id)))).toMatchObject(read);
  }
  expect(states.get(two.customer.id)?.entitlements['seats']).toMatchObject({ value: 7 });
  expect(states.get(other.id)).toMatchObject({ subscriptions: [], entitlements: {} });
});

it('S83: reads and shows the newest 200 subscriptions of a customer, and counts all', async () => {
  const project = await start();
  await project.subscribe(BASE_TIME);
  const { customer, scope } = project;
  const [{ id } = { id: '' }] = (await project.subscriptions()) as { id: string }[];
  await service.em.execute(
    `insert into subscriptions
     select (json_populate_record(one, json_build_object(
              'id', 'ps_' || lpad(i::text, 24, '0'), 'processor_subscription_id', 'sub_' || i || project_id,
              'created_at', created_at - i * interval '1 second'))).*
       from subscriptions one, generate_series(1, 1499) i where id = ?`,
    [id],
  );
  const { subscriptions, subscriptionsTotal, entitlements } = await project.state();
  expect(subscriptions).toHaveLength(200);
  expect(subscriptions.slice(0, 2).map((one: { id: string }) => one.id)).toEqual([id, `ps_${'1'.padStart(24, '0')}`]);
  expect(subscriptionsTotal).toBe(1_500);
  expect(entitlements.seats).toMatchObject({ value: 1_500 * 12 });
  const one = await service.call('GET', `/customers/${customer.id}/state/seats`, { of: scope });
  expect(one.body).toMatchObject({ allowed: true, value: 1_500 * 12 });
  const found = await findCustomerRecord(service.em.fork(), scope, { id: customer.id }, 0);
  expect([found?.subscriptions.length, found?.records.subscriptions.length]).toEqual([0, 1_500]);
});

it('takes the value of a price instead of its product’s, and goes on giving what is archived or deleted', async () => {
  const project = await start();
  await project.subscribe(BASE_TIME);
  await project.giveByProduct({ ownerId: project.price.id, value: 7 });
  const { teamId } = project.scope;
  const gone = { isActive: false, deletedAt: new Date(), version: 2 };
  await service.deliver(newEvent(ProductCreated, teamId, { ...project.product, ...gone }));
  await service.deliver(newEvent(PriceCreated, teamId, { ...project.price, ...gone }));
  expect((await project.state()).entitlements).toMatchObject({ seats: { value: 7 }, sso: { value: true } });
});

it('is what was given by hand until that expires, in whatever order the changes come', async () => {
  const project = await start();
  await project.give({ value: 9, version: 2, expiresAt: new Date(Date.now() + DAY_MS) });
  await project.give({ value: 1, version: 1 });
  expect((await project.state()).entitlements).toMatchObject({ seats: { value: 9, sources: [{ reason: 'grant' }] } });
  await project.give({ value: 9, version: 3, expiresAt: new Date(Date.now() - 1) });
  expect((await project.state()).entitlements).toEqual({});
});

it('goes on for the grace after a failed payment, since the invoice became open, and says what is due', async () => {
  for (const [daysAgo, isGranted] of [
    [6, true],
    [8, false],
  ] as const) {
    const project = await start();
    const failedAt = new Date(Date.now() - daysAgo * DAY_MS);
    await project.subscribe(failedAt, { status: 'past_due' });
    await project.fail(failedAt);
    const state = await project.state();
    expect(Object.keys(state.entitlements)).toEqual(isGranted ? ['seats', 'sso'] : []);
    const since = new Date(seconds(failedAt) * 1_000);
    expect(state.payment).toMatchObject({
      status: 'past_due',
      pastDueSince: since.toISOString(),
      graceEndsAt: new Date(since.getTime() + 7 * DAY_MS).toISOString(),
      nextRetryAt: new Date(since.getTime() + 3 * DAY_MS).toISOString(),
      attempts: 2,
      amountDue: 2_999,
      currency: 'usd',
    });
  }
});

it('checks one feature: whether it is allowed, and why', async () => {
  const project = await start();
  await project.subscribe(BASE_TIME);
  const check = async (key: string) =>
    (await service.call('GET', `/customers/${project.customer.id}/state/${key}`, { of: project.scope })).body;
  expect(await check('seats')).toEqual({ allowed: true, value: 12, until: null, reason: 'active' });
  await project.giveByProduct({ value: 0, version: 2 });
  expect(await check('seats')).toMatchObject({ allowed: false, value: 0 });
  await project.giveByProduct({ value: null, version: 3 });
  expect(await check('seats')).toEqual({ allowed: false, value: null, until: null, reason: null });
  expect((await check('unknown')).error.code).toBe('feature_not_found');
  // What every object has is a key like any other.
  expect((await check('constructor')).error.code).toBe('feature_not_found');
  await service.deliver(project.events.defined({ key: 'constructor' }));
  expect(await check('constructor')).toMatchObject({ allowed: false, value: null });
  await project.give({ key: 'constructor', value: 2 });
  expect(await check('constructor')).toMatchObject({ allowed: true, value: 2 });
});

it('knows features that are defined while the records of the team are purged, which keeps its features', async () => {
  const project = await start();
  const em = service.em.fork();
  const { teamId } = project.scope;
  await em.execute('insert into purged_teams (team_id, purge_id, is_open) values (?, gen_random_uuid(), false)', [
    teamId,
  ]);
  await service.deliver(project.events.defined({ key: 'exports' }));
  await em.execute('delete from purged_teams where team_id = ?', [teamId]);
  await project.give({ key: 'exports' });
  expect((await project.state()).entitlements).toMatchObject({ exports: { value: 1 } });
});

it('is found by the tenant’s own id of the customer, and has only the requested features', async () => {
  const project = await start();
  await project.subscribe(BASE_TIME);
  const balance = { credit: 500, currency: 'usd' };
  const renamed = { ...project.customer, externalId: 'user/815 %;?#\\ü', balance, version: 2 };
  await service.deliver(newEvent(CustomerUpdated, project.scope.teamId, renamed));
  const path = `/customers/external/${encodeURIComponent('user/815 %;?#\\ü')}/state`;
  const { body } = await service.call('GET', `${path}?features=sso,unknown`, { of: project.scope });
  expect(body.state).toMatchObject({ customer: { id: project.customer.id, externalId: 'user/815 %;?#\\ü' }, balance });
  expect(Object.keys(body.state.entitlements)).toEqual(['sso']);
  expect((await service.call('GET', `${path}/seats`, { of: project.scope })).body).toMatchObject({ value: 12 });
  expect((await service.call('GET', '/customers/external/other/state', { of: project.scope })).status).toBe(404);
});

it('has a tag that changes with the state alone: who has it gets 304', async () => {
  const project = await start();
  await project.subscribe(BASE_TIME);
  const get = (headers = {}) =>
    service.call('GET', `/customers/${project.customer.id}/state`, { of: project.scope, headers });
  const first = await get();
  const etag = String(first.headers['etag']);
  expect(etag).toMatch(/^"[\w-]{43}"$/);
  expect(first.headers['cache-control']).toBe('private, max-age=0, stale-if-error=86400');
  const again = await get({ 'if-none-match': `"other", W/${etag}` });
  expect([again.status, again.headers['etag']]).toEqual([304, etag]);
  await project.give({ value: 1 });
  const changed = await get({ 'if-none-match': etag });
  expect(changed.status).toBe(200);
  expect(changed.headers['etag']).not.toBe(etag);
});

it('is 404 for a customer of another project, and for a deleted one', async () => {
  const [project, other] = [await start(), await start()];
  const path = `/customers/${project.customer.id}/state`;
  expect((await service.call('GET', path, { of: other.scope })).status).toBe(404);
  const deleted = { ...project.customer, deletedAt: new Date(), version: 2 };
  await service.deliver(newEvent(CustomerDeleted, project.scope.teamId, deleted));
  expect((await service.call('GET', path, { of: project.scope })).body.error.code).toBe('customer_not_found');
  // Nor is it known any more who it was.
  const copy = await service.em.fork().findOneOrFail(CustomerCopy, { id: project.customer.id });
  expect([copy.email, copy.externalId]).toEqual([null, null]);
});

it('goes on while payments are paused', async () => {
  const project = await start();
  await project.subscribe(BASE_TIME, { more: { pause_collection: { behavior: 'void', resumes_at: null } } });
  const { subscriptions, entitlements } = await project.state();
  expect(subscriptions).toMatchObject([{ paused: { invoices: 'void' }, grants: true, grantsUntil: null }]);
  expect(entitlements).toMatchObject({ seats: { value: 12, until: null } });
});

it('stops while payments are paused in a project that wants that', async () => {
  const project = await start();
  await project.subscribe(BASE_TIME, { more: { pause_collection: { behavior: 'void', resumes_at: null } } });
  await service.deliver(project.events.settled({ entitlementsWhilePaused: false, version: 2 }));
  const { subscriptions, entitlements } = await project.state();
  expect(subscriptions).toMatchObject([{ status: 'active', grants: false, grantsUntil: null }]);
  expect(entitlements).toEqual({});
});

it('goes on for as many days as the project says', async () => {
  const project = await start();
  const failedAt = new Date(Date.now() - 8 * DAY_MS);
  await project.subscribe(failedAt, { status: 'past_due' });
  await project.fail(failedAt);
  await service.deliver(project.events.settled({ entitlementGraceDays: 9, version: 2 }));
  await service.deliver(project.events.settled({ entitlementGraceDays: 0, version: 1 }));
  expect((await project.state()).entitlements).toMatchObject({ seats: { sources: [{ reason: 'grace' }] } });
});

it('is that of a customer who has just been created, before the copy comes', async () => {
  const { scope, customer } = await startProject(service, { hasCopy: false });
  const [mate, unknown] = [await service.createCustomer(scope), CustomerId.create()];
  service.customers.set(mate.id, { ...mate, externalId: 'ada' });
  const read = (path: string, of = scope) => service.call('GET', `/customers/${path}`, { of });
  const empty = { status: 200, body: { state: { customer: { id: customer.id }, entitlements: {} } } };
  expect(await read(`${customer.id}/state`)).toMatchObject(empty);
  expect((await read('external/ada/state')).body.state.customer).toMatchObject({ id: mate.id });
  expect((await read('external/ada/state/sso')).body.error.code).toBe('feature_not_found');
  const other = await startProject(service);
  for (const [path, of] of [
    [`${unknown}/state`, scope],
    ['external/bob/state', scope],
    [`${mate.id}/state`, other.scope],
  ] as const)
    expect((await read(path, of)).body.error.code).toBe('customer_not_found');
});

import { PriceCreated, ProductCreated } from '@billing/contracts/events/catalog';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import { FeatureGiftSaved, FeatureSaved, GrantSaved } from '@billing/contracts/events/features';
import { ProjectUpdated } from '@billing/contracts/events/gateway';
import { newEvent } from '@billing/testing/events';
import { routedEvent } from '@billing/testing/processor-events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stateOf } from '../src/operations/read-state.ts';
import { findCustomerRecords } from '../src/persistence/find-customer-records.ts';
import { anInvoice, BASE_TIME, invoiceObject } from './payloads.ts';
import { startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';

const DAY_MS = 86_400_000;
const seconds = (time: Date) => Math.floor(time.getTime() / 1_000);

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Starts a project with a product that gives three seats for each that is subscribed to, and single sign-on. */
async function start() {
  const project = await startProject(service);
  const { scope, customer, base } = project;
  const { teamId, projectId } = scope;
  const { product, price } = await service.createPrice({}, scope);
  const feature = { projectId, values: null, merge: null, isActive: true, version: 1 };
  const gift = { projectId, giverId: product.id, per: 'subscription', version: 1 } as const;
  for (const event of [
    newEvent(ProductCreated, teamId, product),
    newEvent(PriceCreated, teamId, price),
    newEvent(FeatureSaved, teamId, { ...feature, key: 'sso', type: 'boolean' }),
    newEvent(FeatureSaved, teamId, { ...feature, key: 'seats', type: 'limit', merge: 'sum' }),
    newEvent(FeatureGiftSaved, teamId, { ...gift, key: 'sso', value: true }),
    newEvent(FeatureGiftSaved, teamId, { ...gift, key: 'seats', value: 3, per: 'quantity' }),
  ])
    await service.deliver(event);
  const grant = { projectId, customerId: customer.id, key: 'seats', expiresAt: null, version: 1 };
  return {
    ...project,
    product,
    price,
    subscribe: (at: Date, changes: object = {}) =>
      service.deliver(
        project.event('customer.subscription.updated', at, {
          priceId: price.processorPriceId,
          quantity: 4,
          periodEnd: new Date(Date.now() + 20 * DAY_MS),
          ...changes,
        }),
      ),
    fail: (at: Date) => {
      const invoice = anInvoice({
        id: `in_${projectId}`,
        customer: customer.processorCustomerId,
        subscription: base.id,
      });
      const failed = {
        status: 'open',
        attempted: true,
        attempt_count: 2,
        next_payment_attempt: seconds(new Date(at.getTime() + 3 * DAY_MS)),
        status_transitions: { finalized_at: seconds(at) },
        amount_paid: 0,
        amount_remaining: 2_999,
      };
      const object = { ...invoiceObject(invoice), ...failed };
      return service.deliver(routedEvent(scope, 'invoice.payment_failed', object, { createdAt: at }));
    },
    give: (changes: object) => service.deliver(newEvent(GrantSaved, teamId, { ...grant, value: 1, ...changes })),
    gift: (changes: object) =>
      service.deliver(newEvent(FeatureGiftSaved, teamId, { ...gift, key: 'seats', value: 1, ...changes })),
    state: async () => (await service.call('GET', `/customers/${customer.id}/state`, { of: scope })).body.state,
  };
}

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

it('takes the value of a price instead of its product’s, and goes on giving what is archived or deleted', async () => {
  const project = await start();
  await project.subscribe(BASE_TIME);
  await project.gift({ giverId: project.price.id, value: 7 });
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

it('tells of one feature whether it is allowed, and why', async () => {
  const project = await start();
  await project.subscribe(BASE_TIME);
  const access = async (key: string) =>
    (await service.call('GET', `/customers/${project.customer.id}/state/${key}`, { of: project.scope })).body;
  expect(await access('seats')).toEqual({ allowed: true, value: 12, until: null, reason: 'active' });
  await project.gift({ value: 0, version: 2 });
  expect(await access('seats')).toMatchObject({ allowed: false, value: 0 });
  await project.gift({ value: null, version: 3 });
  expect(await access('seats')).toEqual({ allowed: false, value: null, until: null, reason: null });
  expect((await access('unknown')).error.code).toBe('feature_not_found');
});

it('is found by the tenant’s own id of the customer, and has only the features that are asked for', async () => {
  const project = await start();
  await project.subscribe(BASE_TIME);
  const balance = { credit: 500, currency: 'usd' };
  const renamed = { ...project.customer, externalId: 'user/815 ü', balance, version: 2 };
  await service.deliver(newEvent(CustomerUpdated, project.scope.teamId, renamed));
  const path = `/customers/external/${encodeURIComponent('user/815 ü')}/state`;
  const { body } = await service.call('GET', `${path}?features=sso,unknown`, { of: project.scope });
  expect(body.state).toMatchObject({ customer: { id: project.customer.id, externalId: 'user/815 ü' }, balance });
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
});

it('goes on for as many days as the project says', async () => {
  const project = await start();
  const failedAt = new Date(Date.now() - 8 * DAY_MS);
  await project.subscribe(failedAt, { status: 'past_due' });
  await project.fail(failedAt);
  const { teamId, projectId: id } = project.scope;
  const state = { id, teamId, name: 'Shop', baseCurrency: 'usd', createdAt: new Date() };
  await service.deliver(newEvent(ProjectUpdated, teamId, { ...state, entitlementGraceDays: 9, version: 2 }));
  await service.deliver(newEvent(ProjectUpdated, teamId, { ...state, entitlementGraceDays: 0, version: 1 }));
  expect((await project.state()).entitlements).toMatchObject({ seats: { sources: [{ reason: 'grace' }] } });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '@billing/testing/wait-for';
import { drain } from '../../system/drain.ts';
import { ok } from '../../system/http.ts';
import { mapConcurrently } from '../../system/map-concurrently.ts';
import { newCustomer, newEmail, newMonthlyPrice, newSubscription, type Tenant } from '../../system/tenant.ts';
import { expectChangedOnce, newWantedChanges } from '../invariants/changed-plans.ts';
import { expectSoldOnce, newWantedSales } from '../invariants/sold-at-once.ts';
import { startResponseProxy, type ResponseFate, type ResponseProxy } from '../system/response-proxy.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';

/** The services that write to the processor, each behind a proxy of its own. */
const WRITERS = ['catalog', 'customers', 'subscriptions', 'referrals'] as const;
type Writer = (typeof WRITERS)[number];

const WRITES_OF_A_KIND = Number(process.env['FAULT_WRITES'] ?? 25);
const CANCELLATIONS = 10;
const REFERRALS = 6;
const PLAN_CHANGES = 12;
const SALES = 12;
const CONCURRENCY = 6;

const random = seededRandom('unknown outcomes');
const resources = new AsyncDisposableStack();
const proxies: Partial<Record<Writer, ResponseProxy>> = {};
let system: FaultySystem;

beforeAll(async () => {
  const env: Record<string, Record<string, string>> = {};
  for (const writer of WRITERS) {
    const proxy = resources.use(await startResponseProxy());
    proxies[writer] = proxy;
    env[writer] = { STRIPE_API_BASE_URL: proxy.url };
  }
  system = resources.use(await startFaultySystem({ env }));
  for (const proxy of Object.values(proxies)) proxy.setTarget(system.processorUrl);
});
afterAll(() => resources.disposeAsync());

it('does every write once when its process is killed between deed and received', async () => {
  const kills = new Map<Writer, Promise<void>>();
  let left = 24;
  await expectOneObjectPerWrite(async writer => {
    if (left === 0 || kills.has(writer) || random.next() < 0.8) return 'pass';
    left -= 1;
    const killed = system.killAndReplace(writer).finally(() => kills.delete(writer));
    kills.set(writer, killed);
    await killed;
    return 'none';
  });
  expect(left).toBe(0);
});

it('does every write once when what is done is reported as a failure', async () => {
  let spoiled = 0;
  await expectOneObjectPerWrite(async () => {
    const fate = random.next() < 0.5 ? 'pass' : random.pick(['500', '500', 'html', 'broken', 'none'] as const);
    if (fate !== 'pass') spoiled += 1;
    return fate;
  });
  expect(spoiled).toBeGreaterThan(WRITES_OF_A_KIND);
});

/** Sends writes of every kind while `decide` disturbs the processor's responses, each until it succeeds. */
async function expectOneObjectPerWrite(decide: (writer: Writer) => Promise<ResponseFate>): Promise<void> {
  const tenant = await system.newTenant();
  const { productId, priceId } = await newMonthlyPrice(tenant);
  const customerId = await newCustomer(tenant);
  const referees = await referCustomers(tenant);
  const larger = { productId, unitAmount: 4_999, currency: 'usd', interval: 'month' } as const;
  const { id: otherPriceId } = await tenant.billing.prices.create(larger);
  const changes = await newWantedChanges(tenant, PLAN_CHANGES, priceId, otherPriceId);
  const oneTime = { productId, unitAmount: 4_900, currency: 'usd', type: 'one_time' } as const;
  const { id: once } = await tenant.billing.prices.create(oneTime);
  const sales = await newWantedSales(tenant, SALES, { monthly: priceId, once });
  const subscriptions = await Promise.all(
    Array.from({ length: CANCELLATIONS }, async () => (await newSubscription(tenant, priceId)).id),
  );
  await drain(tenant);
  const before = await countObjects(tenant);

  for (const writer of WRITERS) {
    const proxy = proxies[writer];
    if (proxy) proxy.onDone = () => decide(writer);
  }
  const urls = { successUrl: 'https://shop.example/', cancelUrl: 'https://shop.example/' };
  const monthly = { unitAmount: 500, currency: 'usd', interval: 'month' };
  const creations = Array.from({ length: WRITES_OF_A_KIND }, (_, index) => [
    () => create(tenant, '/products', { name: `Pro ${index}`, metadata: { b: '2', a: '1', index: `${index}` } }),
    () => create(tenant, '/prices', { productId, ...monthly, metadata: { z: '1', index: `${index}`, a: '2' } }),
    () => create(tenant, '/customers', { email: newEmail(), name: 'Ada', metadata: { y: '1', b: '2' } }),
    () => create(tenant, '/checkout', { customerId, priceId, ...urls, metadata: { plan: 'gold', an: 'x' } }),
  ]).flat();
  const others = [
    ...subscriptions.map(id => () => cancel(tenant, id)),
    ...referees.map(id => () => subscribe(tenant, id, priceId)),
    ...sales.map(
      ({ body }) =>
        () =>
          create(tenant, '/checkout', body),
    ),
    ...changes.map(
      ({ id, body }) =>
        () =>
          create(tenant, `/subscriptions/${id}/change`, body),
    ),
  ];
  await mapConcurrently(random.shuffled([...creations, ...others]), task => task(), CONCURRENCY);
  for (const proxy of Object.values(proxies)) proxy.onDone = () => 'pass';
  await system.untilReady();

  await waitFor(
    async () => {
      const { credits } = await ok(tenant.api.get(`${tenant.P}/referrals/credits?limit=100`));
      return credits.filter(({ status }: { status: string }) => status === 'credited').length === 2 * REFERRALS;
    },
    { what: 'every credit', intervalMs: 500 },
  );
  await drain(tenant);
  const after = await countObjects(tenant);
  const made = Object.fromEntries(Object.entries(after).map(([kind, count]) => [kind, count - (before[kind] ?? 0)]));
  expect(made).toMatchObject({
    product: WRITES_OF_A_KIND,
    price: WRITES_OF_A_KIND,
    customer: WRITES_OF_A_KIND,
    'checkout.session': WRITES_OF_A_KIND + REFERRALS,
    customer_balance_transaction: 2 * REFERRALS,
    subscription: REFERRALS + SALES,
    subscription_schedule: PLAN_CHANGES / 4,
  });
  await expectChangedOnce(tenant, changes, priceId);
  await expectSoldOnce(tenant, sales);
  await expectSameRecords(tenant);
  for (const id of subscriptions) expect((await tenant.billing.subscriptions.get(id)).status).toBe('canceled');
}

/** Every object of the processor has one record here, and every record an object. */
async function expectSameRecords({ billing, processor }: Tenant): Promise<void> {
  const { objects } = await processor.ledger();
  const atProcessor = (kind: string) => objects.filter(({ object }) => object === kind).map(({ id }) => id);
  const products = await Array.fromAsync(billing.products.list({ activeOnly: false }));
  const prices = await Array.fromAsync(billing.prices.list({ activeOnly: false }));
  const customers = await Array.fromAsync(billing.customers.list({ limit: 100 }));
  expect(products.map(product => product.processorProductId).toSorted()).toEqual(atProcessor('product').toSorted());
  expect(prices.map(price => price.processorPriceId).toSorted()).toEqual(atProcessor('price').toSorted());
  expect(customers.map(customer => customer.processorCustomerId).toSorted()).toEqual(
    atProcessor('customer').toSorted(),
  );
}

async function countObjects({ processor }: Tenant): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { object } of (await processor.ledger()).objects) counts[object] = (counts[object] ?? 0) + 1;
  return counts;
}

/** Sends a creation or a change under one key until it succeeds. */
async function create({ api, P }: Tenant, path: string, body: object) {
  const key = crypto.randomUUID();
  return waitFor(
    async () => {
      const response = await api.post(P + path, body, { 'idempotency-key': key }).catch(() => undefined);
      const status = response?.status ?? 0;
      if (![0, 200, 201, 202, 409, 502, 503, 504].includes(status))
        throw new Error(`${path} got ${status}: ${JSON.stringify(response?.body)}`);
      return status > 0 && status < 300 && response?.body;
    },
    { what: `${path} to succeed`, intervalMs: 500 },
  );
}

async function cancel({ api, P }: Tenant, id: string): Promise<void> {
  await waitFor(
    async () => {
      const response = await api.delete(`${P}/subscriptions/${id}`).catch(() => undefined);
      return response?.status === 200 || response?.status === 404;
    },
    { what: 'the cancellation', intervalMs: 500 },
  );
}

/** Creates customers, each referred by another one. Returns the referees. */
async function referCustomers(tenant: Tenant): Promise<string[]> {
  const { api, P } = tenant;
  const amounts = { referrerCreditAmount: 500, refereeCreditAmount: 300, currency: 'usd' };
  await ok(api.put(`${P}/referrals/config`, { enabled: true, ...amounts }));
  const referees: string[] = [];
  for (let index = 0; index < REFERRALS; index += 1) {
    const [customerId, refereeCustomerId] = [await newCustomer(tenant), await newCustomer(tenant)];
    const { code } = await ok(api.post(`${P}/referrals/codes`, { customerId }), 201);
    await ok(api.post(`${P}/referrals/apply`, { code: code.code, refereeCustomerId }), 201);
    referees.push(refereeCustomerId);
  }
  return referees;
}

async function subscribe(tenant: Tenant, customerId: string, priceId: string): Promise<void> {
  const urls = { successUrl: 'https://shop.example/', cancelUrl: 'https://shop.example/' };
  const { sessionId } = await create(tenant, '/checkout', { customerId, priceId, ...urls });
  await tenant.processor.checkout(sessionId, 'pay');
}

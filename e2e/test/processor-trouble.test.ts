import { isDeepStrictEqual } from 'node:util';
import type { FaultRequest } from '@billing/local-processor/control';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import type { ApiResponse } from '../system/http.ts';
import { newCustomer, newEmail, newMonthlyPrice, newTenant, type Tenant } from '../system/tenant.ts';

/** Each kind of fault is shown at the client of the processor; here that other teams do not notice. */
const FAULTS: [string, Omit<FaultRequest, 'path'> & { readonly times: number }][] = [
  ['responds after ten seconds', { mode: 'slow', delayMs: 10_000, times: 4 }],
  ['does the work but loses the response', { mode: 'done-but-response-lost', times: 8 }],
];

it.each(FAULTS)('creates each resource once, and serves other teams, when the processor %s', async (_fault, fault) => {
  const [affected, other] = await Promise.all([newTenant(), newTenant()]);
  const repeated = await newWrites(affected);
  const abandoned = await newWrites(affected);
  const before = await countCreated(affected);
  const usual = await runTypicalRequests(other);

  await affected.processor.fail({ path: '/v1/', method: 'POST', ...fault });
  const [responses, meanwhile] = await Promise.all([
    Promise.all([...repeated, ...abandoned].map(write => send(affected, write))),
    runTypicalRequests(other),
  ]);
  expect(meanwhile).toEqual(usual);
  expect(responses.filter(({ status }) => ![201, 502, 503].includes(status))).toEqual([]);
  const [unused] = await affected.processor.faults();
  expect(unused?.times ?? 0).toBeLessThan(fault.times);

  await affected.processor.clearFaults();
  await sendUntilCreated(affected, repeated);
  const created = await untilConsistent(affected);
  // An abandoned write may or may not have been done, but never twice.
  for (const kind of KINDS) expect([1, 2]).toContain(created[kind] - before[kind]);

  await sendUntilCreated(affected, abandoned);
  const total = await untilConsistent(affected);
  for (const kind of KINDS) expect(total[kind] - before[kind]).toBe(2);
  expect(await runTypicalRequests(affected)).toEqual(usual);
});

const KINDS = ['customers', 'products', 'checkouts'] as const;

interface Write {
  readonly path: string;
  readonly body: object;
  readonly key: string;
}

/** Returns one write for each kind of resource that is created at the processor. */
async function newWrites(tenant: Tenant): Promise<Write[]> {
  const [{ priceId }, customerId] = await Promise.all([newMonthlyPrice(tenant), newCustomer(tenant)]);
  const urls = { successUrl: 'https://shop.example/', cancelUrl: 'https://shop.example/' };
  const writes: [string, object][] = [
    ['/customers', { email: newEmail() }],
    ['/products', { name: 'Pro' }],
    ['/checkout', { customerId, priceId, ...urls }],
  ];
  return writes.map(([path, body]) => ({ path, body, key: crypto.randomUUID() }));
}

const send = ({ api, P }: Tenant, { path, body, key }: Write): Promise<ApiResponse> =>
  api.post(P + path, body, { 'idempotency-key': key });

/** Repeats each write under its key until it succeeds. */
async function sendUntilCreated(tenant: Tenant, writes: readonly Write[]): Promise<void> {
  for (const write of writes)
    await waitFor(async () => (await send(tenant, write)).status === 201, {
      what: `${write.path} to succeed`,
      intervalMs: 1_000,
    });
}

/** Sends writes and reads, and returns their statuses. */
async function runTypicalRequests(tenant: Tenant): Promise<number[]> {
  const { api, P } = tenant;
  const statuses: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    const writes = (await newWrites(tenant)).map(write => send(tenant, write));
    const reads = ['/customers', '/products', '/prices', '/subscriptions'].map(path => api.get(P + path));
    statuses.push(...(await Promise.all([...writes, ...reads])).map(({ status }) => status));
  }
  return statuses;
}

/** Counts the resources, and compares their ids with the objects at the processor. */
async function countCreated({ billing, processor }: Tenant) {
  const [customers, products, { objects }] = await Promise.all([
    Array.fromAsync(billing.customers.list({ limit: 100 })),
    Array.fromAsync(billing.products.list({ limit: 100 })),
    processor.ledger(),
  ]);
  const idsOf = (kind: string) => objects.filter(({ object }) => object === kind).map(({ id }) => id);
  const customerIds = customers.map(({ processorCustomerId }) => processorCustomerId);
  const productIds = products.map(({ processorProductId }) => processorProductId);
  return {
    customers: customers.length,
    products: products.length,
    checkouts: idsOf('checkout.session').length,
    isConsistent: sameIds(idsOf('customer'), customerIds) && sameIds(idsOf('product'), productIds),
  };
}

/** Waits until every record has exactly one object at the processor, and every object a record. */
function untilConsistent(tenant: Tenant) {
  return waitFor(
    async () => {
      const counts = await countCreated(tenant);
      return counts.isConsistent ? counts : undefined;
    },
    { what: 'the processor and billing to have the same resources', intervalMs: 500 },
  );
}

const sameIds = (some: readonly string[], others: readonly string[]): boolean =>
  isDeepStrictEqual(new Set(some), new Set(others)) && some.length === others.length;

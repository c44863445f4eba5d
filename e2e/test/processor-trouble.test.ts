import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { FaultRequest } from '@billing/local-processor/control';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import type { Answer } from '../system/http.ts';
import { newCustomer, newEmail, newMonthlyPrice, newTenant, type Tenant } from '../system/tenant.ts';

const TROUBLES: [string, Omit<FaultRequest, 'path'> & { readonly times: number }][] = [
  ['takes ten seconds', { mode: 'slow', delayMs: 10_000, times: 4 }],
  ['says "slow down"', { mode: '429', times: 12 }],
  ['does the work and loses the answer', { mode: 'done-but-answer-lost', times: 8 }],
  ['drops every call', { mode: 'dropped', times: 12 }],
  ['fails, and keeps failing under the same key', { mode: '500', times: 6 }],
  ['stands behind a gateway that answers for it', { mode: '502html', times: 12 }],
];

it.each(TROUBLES)(
  'when the processor of one team %s, what is made there is made once or not at all',
  { timeout: 180_000 },
  async (_what, trouble) => {
    const [troubled, other] = await Promise.all([newTenant(), newTenant()]);
    const repeated = await wishesOf(troubled);
    const once = await wishesOf(troubled);
    const before = await countsOf(troubled);
    const usual = await anyDay(other);

    await troubled.processor.fail({ path: '/v1/', method: 'POST', ...trouble });
    const [answers, meanwhile] = await Promise.all([
      Promise.all([...repeated, ...once].map(wish => ask(troubled, wish))),
      anyDay(other),
    ]);
    // Others notice nothing: they get what they get on any day.
    expect(meanwhile).toEqual(usual);
    expect(answers.filter(({ status }) => ![201, 502, 503].includes(status))).toEqual([]);
    const [unused] = await troubled.processor.faults();
    expect(unused?.times ?? 0).toBeLessThan(trouble.times);

    await troubled.processor.clearFaults();
    // Asked again under its key, each is done in the end.
    for (const wish of repeated)
      await waitFor(async () => (await ask(troubled, wish)).status === 201, {
        what: `${wish.path} to end`,
        timeoutMs: 60_000,
        intervalMs: 1_000,
      });
    const made = await waitFor(() => sameOnBothSides(troubled), {
      what: 'the processor and this service to have the same',
      timeoutMs: 60_000,
      intervalMs: 500,
    });
    // What was asked again is there; what was not may be.
    for (const kind of ['customers', 'products', 'checkouts'] as const)
      expect([1, 2]).toContain(made[kind] - before[kind]);
    // And the team goes on.
    expect(await anyDay(troubled)).toEqual(usual);
  },
);

interface Wish {
  readonly path: string;
  readonly body: object;
  readonly key: string;
}

/** One of each thing that is made at the processor. */
async function wishesOf(tenant: Tenant): Promise<Wish[]> {
  const [{ priceId }, customerId] = await Promise.all([newMonthlyPrice(tenant), newCustomer(tenant)]);
  const urls = { successUrl: 'https://shop.example/', cancelUrl: 'https://shop.example/' };
  const wishes: [string, object][] = [
    ['/customers', { email: newEmail() }],
    ['/products', { name: 'Pro' }],
    ['/checkout', { customerId, priceId, ...urls }],
  ];
  return wishes.map(([path, body]) => ({ path, body, key: crypto.randomUUID() }));
}

const ask = ({ api, P }: Tenant, { path, body, key }: Wish): Promise<Answer> =>
  api.post(P + path, body, { 'idempotency-key': key });

/** What a team does on any day, and how each step was answered. */
async function anyDay(tenant: Tenant): Promise<number[]> {
  const { api, P } = tenant;
  const statuses: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const answers = (await wishesOf(tenant)).map(wish => ask(tenant, wish));
    const reads = ['/customers', '/products', '/prices', '/subscriptions'].map(path => api.get(P + path));
    statuses.push(...(await Promise.all([...answers, ...reads])).map(({ status }) => status));
  }
  return statuses;
}

async function countsOf({ billing, processor }: Tenant) {
  const [customers, products, { objects }] = await Promise.all([
    Array.fromAsync(billing.customers.list({ limit: 100 })),
    Array.fromAsync(billing.products.list({ limit: 100 })),
    processor.ledger(),
  ]);
  const idsOf = (kind: string) => objects.filter(({ object }) => object === kind).map(({ id }) => id);
  return {
    customers: customers.length,
    products: products.length,
    checkouts: idsOf('checkout.session').length,
    isSame:
      sameIds(
        idsOf('customer'),
        customers.map(({ processorCustomerId }) => processorCustomerId),
      ) &&
      sameIds(
        idsOf('product'),
        products.map(({ processorProductId }) => processorProductId),
      ),
  };
}

/** The counts, if each record has its object at the processor and the other way round, and both stay as they are. */
async function sameOnBothSides(tenant: Tenant) {
  const counts = await countsOf(tenant);
  await delay(3_000); // longer than a write that was left behind waits to be taken up again
  const later = await countsOf(tenant);
  return counts.isSame && isDeepStrictEqual(counts, later) ? counts : undefined;
}

const sameIds = (some: readonly string[], others: readonly string[]): boolean =>
  isDeepStrictEqual(new Set(some), new Set(others)) && some.length === others.length;

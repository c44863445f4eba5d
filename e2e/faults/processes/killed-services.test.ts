import { verifyWebhook, type BillingEvent } from '@billing/client';
import { SERVICES } from '@billing/contracts/operation';
import { startReceiver } from '@billing/testing/receiver';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newGivenFeature } from '../../system/billing-records.ts';
import { newCustomer, newMonthlyPrice, type Tenant } from '../../system/tenant.ts';
import { ok } from '../../system/http.ts';
import { findingsOf, newAccount, runSync } from '../../test/syncs/account.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';

/** Customers that are created and changed while their events are delivered. */
const CHANGED_CUSTOMERS = 30;
/** More than a sync reads as a page of each type. */
const SYNCED_CUSTOMERS = 120;

const random = seededRandom('killed services');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem();
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('loses and duplicates nothing when every service is killed in turn', async context => {
  const tenant = await system.newTenant();
  const { portalUrl } = await tenant.billing.portal.create({ customerId: await newCustomer(tenant) });

  await expectInvariantsUnderLoad(context, { system, random, tenant }, async load => {
    for (const service of random.shuffled(SERVICES)) {
      await system.killAndReplace(service);
      await load.untilAcknowledged(random.between(0, 8));
    }
  });
  expect((await fetch(portalUrl)).status).toBe(200);
});

it('survives kills between the processor’s response and the commit', async context => {
  const { postgres, processor } = system.proxies;
  await expectInvariantsUnderLoad(context, { system, random, eventsPerSecond: 20 }, async load => {
    // Slow connections keep many requests between the processor's response and the commit.
    postgres.set({ delay: 10 });
    processor.set({ delay: 100 });
    for (const service of random.shuffled(['customers', 'webhooks', 'subscriptions', 'analytics'])) {
      await system.killAndReplace(service);
      await load.untilAcknowledged(random.between(0, 10));
    }
    for (const proxy of [postgres, processor]) proxy.set('pass');
  });
});

it('loses and duplicates nothing when parts are killed under load, and never shows a state without its entitlements', async context => {
  await expectInvariantsUnderLoad(context, { system, random, eventsPerSecond: 20 }, async (_load, tenant) => {
    const reads = await startStateReads(tenant);
    for (const part of random.shuffled(['webhooks', 'subscriptions', 'nats', 'postgres']))
      await system.killAndReplace(part, part === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
    const seen = await reads.stop();
    expect([...seen].filter(one => one !== '503' && one !== 'no response').toSorted()).toEqual(['200 7']);
    expect(seen).toContain('503');
  });
});

/** Reads the state of a customer who has a grant, one time after another, until it is stopped. */
async function startStateReads(tenant: Tenant) {
  const { gatewayUrl, P, secret } = tenant;
  const customerId = await newCustomer(tenant);
  const { featureKey } = await newGivenFeature(tenant, { ...(await newMonthlyPrice(tenant)), customerId });
  const stopping = new AbortController();
  const seen = new Set<string>();
  const read = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${secret}` };
    const response = await fetch(`${gatewayUrl}${P}/customers/${customerId}/state`, { headers });
    if (response.status !== 200) return String(response.status);
    const { state } = await response.json();
    return `200 ${state.entitlements[featureKey]?.value}`;
  };
  const readOn = async () => {
    while (!stopping.signal.aborted) seen.add(await read().catch(() => 'no response'));
  };
  const running = readOn();
  return {
    /** Returns what was seen: each status, and what a state had of the feature. */
    async stop(): Promise<ReadonlySet<string>> {
      stopping.abort();
      await running;
      return seen;
    },
  };
}

/** Does something again until it succeeds: while something is down, it is refused. */
const untilDone = <Result>(what: string, act: () => Promise<Result>) =>
  waitFor(() => act().catch(() => undefined), { what, intervalMs: 200, timeoutMs: 120_000 });

/** Creates customers and changes each of them. */
async function writeCustomers(tenant: Tenant): Promise<void> {
  for (let made = 0; made < CHANGED_CUSTOMERS; made += 1) {
    const id = await untilDone('a customer', () => newCustomer(tenant));
    await untilDone('its change', () => tenant.billing.customers.update(id, { name: `Grace ${made}` }));
  }
}

it('loses no event and repeats them only as they were when webhooks and PostgreSQL die while it delivers', async () => {
  const tenant = await system.newTenant();
  // Its responses are held back, so that requests are on their way when something dies.
  let held = Promise.withResolvers<void>();
  held.resolve();
  await using receiver = await startReceiver(async () => {
    await held.promise;
    return 204;
  });
  const { secret } = await tenant.billing.webhookEndpoints.create({ url: receiver.url, eventTypes: ['customer.*'] });
  const writing = writeCustomers(tenant);
  for (const [part, signal] of [
    ['webhooks', 'SIGKILL'],
    ['postgres', 'SIGQUIT'],
    ['webhooks', 'SIGKILL'],
  ] as const) {
    held = Promise.withResolvers<void>();
    const before = receiver.received.length;
    await waitFor(() => receiver.received.length > before, { what: 'a request', timeoutMs: 120_000 });
    await system.killAndReplace(part, signal);
    held.resolve();
  }
  await writing;
  await system.untilReady();
  const expected = new Map<string, BillingEvent>();
  const idsReceived = () => new Set(receiver.received.map(({ headers }) => String(headers['webhook-id'])));
  await waitFor(
    async () => {
      for await (const event of tenant.billing.events.list({ types: ['customer.created', 'customer.updated'] }))
        expected.set(event.id, event);
      return expected.size >= 2 * CHANGED_CUSTOMERS && idsReceived().size >= expected.size;
    },
    { what: 'every event', intervalMs: 1_000, timeoutMs: 240_000 },
  );
  expect(idsReceived()).toEqual(new Set(expected.keys()));
  const sequences = new Map<string, number>();
  for (const { body, headers } of receiver.received) {
    expect(JSON.parse(body)).toEqual(expected.get(String(headers['webhook-id'])));
    const { object } = await verifyWebhook(body, headers, secret, { toleranceSeconds: 3_600 });
    // One that is repeated comes before those that follow it, or after them, but none is passed over.
    const last = sequences.get(object.id) ?? 0;
    expect(object.sequence).toBeLessThanOrEqual(last + 1);
    sequences.set(object.id, Math.max(last, object.sequence));
  }
});

it('takes over everything once although its services are killed at random moments', async () => {
  const tenant = await system.newTenant();
  const { billing } = tenant;
  const account = await newAccount(tenant, SYNCED_CUSTOMERS);
  const { id } = (await ok(tenant.user.post(`${tenant.P}/syncs`, { mode: 'apply' }), 202)).sync;
  // The service that runs the sync, which goes on when its lease ends, and those that compare and record.
  const killed = ['webhooks', 'customers', 'webhooks', 'subscriptions'];
  const moments = killed.map(() => random.between(0, 3 * SYNCED_CUSTOMERS)).toSorted((a, b) => a - b);
  for (const [index, count] of moments.entries()) {
    await waitFor(async () => (await readOf(tenant, id)) >= count, { what: `${count} objects to be read` });
    await system.killAndReplace(killed[index] ?? 'webhooks');
  }
  const ended = await waitFor(
    async () => {
      const found = await billing.syncs.get(id, { maxRetries: 30 });
      return found.status === 'completed' ? found : undefined;
    },
    { what: 'the sync to complete' },
  );
  const all = { read: SYNCED_CUSTOMERS, total: SYNCED_CUSTOMERS };
  expect(ended.progress).toMatchObject({ customer: all, subscription: all, invoice: all });
  const findings = await findingsOf(tenant, id);
  expect(findings.filter(one => !one.applied)).toEqual([]);

  const customers = await Array.fromAsync(billing.customers.list());
  expect(customers.map(one => one.processorCustomerId).toSorted()).toEqual(account.customerIds.toSorted());
  await waitFor(async () => (await billing.analytics.get()).mrr === SYNCED_CUSTOMERS * 1_500, { what: 'the revenue' });
  expect((await billing.analytics.get()).customerCount).toBe(SYNCED_CUSTOMERS);
  expect((await runSync(tenant, { mode: 'report' })).findings).toEqual([]);
});

/** How many objects a sync has read. */
async function readOf({ billing }: Tenant, id: string): Promise<number> {
  const { status, progress } = await billing.syncs.get(id, { maxRetries: 30 });
  if (status === 'completed') return Infinity;
  return Object.values(progress).reduce((sum, { read }) => sum + read, 0);
}

import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ok } from '../../system/http.ts';
import { mapConcurrently } from '../../system/map-concurrently.ts';
import { newCustomer, type Tenant } from '../../system/tenant.ts';
import { startResponseProxy, type ResponseProxy } from '../system/response-proxy.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';

const EVENTS = Number(process.env['FAULT_USAGE'] ?? 10_000);
const CUSTOMERS = 20;
const METERS = ['calls', 'bytes'] as const;
/** Events of a request. */
const CHUNK = 100;
const LOST = 0.03;
const KILLS = 3;
const DRAIN_MS = 600_000;
const [DAY_SECONDS, HOUR_MS] = [86_400, 3_600_000];

interface UsageEvent {
  readonly id: string;
  readonly customerId: string;
  readonly meter: (typeof METERS)[number];
  readonly value: number;
  readonly at: string;
}

const random = seededRandom('lost usage');
const resources = new AsyncDisposableStack();
let system: FaultySystem;
let proxy: ResponseProxy;
beforeAll(async () => {
  proxy = resources.use(await startResponseProxy());
  system = resources.use(await startFaultySystem({ env: { customers: { STRIPE_API_BASE_URL: proxy.url } } }));
  proxy.setTarget(system.processorUrl);
});
afterAll(() => resources.disposeAsync());

it('counts each event once although responses are lost and the service is killed, also a day later', async () => {
  const tenant = await system.newTenant();
  const { billing, processor } = tenant;
  const { id: productId } = await billing.products.create({ name: 'API' });
  for (const meter of METERS)
    await billing.prices.create({ productId, unitAmount: 1, currency: 'usd', interval: 'month', meter });
  const customers = await mapConcurrently(Array.from({ length: CUSTOMERS }), () => newCustomer(tenant));
  const at = new Date(Date.now() - HOUR_MS).toISOString();
  const events = Array.from({ length: EVENTS }, (_, index): UsageEvent => {
    const value = random.between(0, 1_000);
    return { id: `e${index}`, customerId: random.pick(customers), meter: random.pick(METERS), value, at };
  });

  let lost = 0;
  proxy.onDone = () => {
    if (random.next() >= LOST) return 'pass';
    lost += 1;
    return 'none';
  };
  // What had no response, since the service was killed, is sent again.
  const sending = recordAll(tenant, events);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await untilSent(tenant, (EVENTS * kill) / (KILLS + 1));
    await system.killAndReplace('customers');
  }
  expect(await sending).toBe(EVENTS);
  await waitFor(async () => (await countOf(tenant, 'pending')) === 0, {
    what: 'all usage to be sent',
    timeoutMs: DRAIN_MS,
    intervalMs: 1_000,
  });
  expect(await countOf(tenant, 'rejected')).toBe(0);
  expect(lost).toBeGreaterThan((EVENTS * LOST) / 2);
  const wanted = sumsOf(events);
  expect(await countedOf(tenant, customers)).toEqual(wanted);

  // The processor has forgotten the identifiers by then.
  await processor.advanceClock(DAY_SECONDS + 3_600);
  expect(await recordAll(tenant, random.shuffled(events))).toBe(0);
  expect(await countOf(tenant, 'pending')).toBe(0);
  expect(await countedOf(tenant, customers)).toEqual(wanted);
});

/** Records events, each request until it has a response; returns how many the service has at the end that it had not before. */
async function recordAll(tenant: Tenant, events: readonly UsageEvent[]): Promise<number> {
  const before = await countAll(tenant);
  const chunks = Array.from({ length: Math.ceil(events.length / CHUNK) }, (_, index) =>
    events.slice(index * CHUNK, (index + 1) * CHUNK),
  );
  await mapConcurrently(
    chunks,
    chunk =>
      waitFor(async () => (await tenant.api.post(`${tenant.P}/usage`, { events: chunk })).status === 202, {
        what: 'usage to be recorded',
        intervalMs: 100,
      }),
    4,
  );
  return (await countAll(tenant)) - before;
}

/** Waits until so many events are sent. */
const untilSent = (tenant: Tenant, count: number) =>
  waitFor(async () => (await countOf(tenant, 'sent')) >= count, {
    what: `${count} events to be sent`,
    timeoutMs: DRAIN_MS,
    intervalMs: 100,
  });

async function countOf({ api, P }: Tenant, status: string): Promise<number> {
  const { pagination } = await ok(api.get(`${P}/usage?limit=1&status=${status}`));
  return pagination.total;
}

async function countAll({ api, P }: Tenant): Promise<number> {
  return (await ok(api.get(`${P}/usage?limit=1`))).pagination.total;
}

const keyOf = ({ customerId, meter }: Pick<UsageEvent, 'customerId' | 'meter'>) => `${customerId} ${meter}`;

function sumsOf(events: readonly UsageEvent[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const event of events) sums.set(keyOf(event), (sums.get(keyOf(event)) ?? 0) + event.value);
  return sums;
}

/** What the processor has counted, by customer and meter. */
async function countedOf({ billing }: Tenant, customers: readonly string[]): Promise<Map<string, number>> {
  const span = {
    start: new Date(Date.now() - 24 * HOUR_MS).toISOString(),
    end: new Date(Date.now() + HOUR_MS).toISOString(),
  };
  const counted = new Map<string, number>();
  for (const customerId of customers)
    for (const meter of METERS) {
      const summaries = await billing.usage.sumUp(customerId, { meter, ...span });
      const value = summaries.reduce((sum, one) => sum + one.value, 0);
      if (value > 0) counted.set(keyOf({ customerId, meter }), value);
    }
  return counted;
}

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Tenant } from '../../system/tenant.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { createEventGenerator } from '../system/load.ts';
import { seededRandom } from '../system/random.ts';
import { postEvent } from '../system/sender.ts';
import { mapConcurrently } from '../../system/map-concurrently.ts';
import { expectInvariantsAfterDrain } from '../system/under-load.ts';

/** Two cores process this many in well under a minute. */
const EVENTS = Number(process.env['FAULT_BACKLOG'] ?? 10_000);
const CONSUMERS = ['subscriptions', 'analytics', 'referrals', 'portal'];
const MAX_MEMORY_BYTES = 300 * 1_024 ** 2;

const random = seededRandom('backlog');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem();
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('processes a backlog in bounded memory while it serves reads', async context => {
  const tenant = await system.newTenant();
  const generator = await createEventGenerator(tenant, random);
  const events = Array.from({ length: EVENTS }, () => generator.next());
  await Promise.all(CONSUMERS.map(consumer => system.takeDown(consumer)));
  await mapConcurrently(events, event => postEvent(system.gatewayUrl, tenant, event), 32);
  expect(events.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);

  await Promise.all(CONSUMERS.map(consumer => system.bringBack(consumer)));
  const drained = new AbortController();
  const reading = readUntil(drained.signal, tenant);
  try {
    await expectInvariantsAfterDrain(context, { system, tenant, sent: { events, writes: [] }, drainMs: 480_000 });
  } finally {
    drained.abort();
  }

  expect(new Set(await reading)).toEqual(new Set([200]));
  for (const service of [...CONSUMERS, 'webhooks'])
    expect(system.residentBytes(service)).toBeLessThan(MAX_MEMORY_BYTES);
});

/** Reads several lists at least once, then every 100 ms until the signal aborts. Returns all response statuses. */
async function readUntil(signal: AbortSignal, { api, P }: Tenant): Promise<number[]> {
  const statuses: number[] = [];
  do {
    const responses = await Promise.all(['/subscriptions', '/customers', '/analytics'].map(path => api.get(P + path)));
    statuses.push(...responses.map(({ status }) => status));
    await delay(100);
  } while (!signal.aborted);
  return statuses;
}

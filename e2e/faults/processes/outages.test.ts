import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSnapshot } from '../invariants/snapshot.ts';
import type { Proxied } from '../system/faulty-programs.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';

/** By default a NATS client gives up reconnecting after about 20 seconds. */
const OUTAGE_MS = 25_000;
/** Longer than services take to detect a dead connection to each server, in milliseconds. */
const BLACK_HOLE_MS: Readonly<Record<Proxied, number>> = { postgres: 20_000, nats: 25_000, processor: 12_000 };
const CONSUMERS = ['subscriptions', 'customers', 'catalog', 'referrals', 'analytics', 'webhooks', 'portal'];

const random = seededRandom('outages');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem();
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('changes nothing when every event is delivered to every service again', async context => {
  const tenant = await system.newTenant();
  const run = { system, random, tenant, writesPerSecond: 2 };
  const first = await expectInvariantsUnderLoad(context, run, load => load.untilAcknowledged(50));
  const { subscriptions: before } = await readSnapshot(tenant);

  // Without their state, consumers start again at the first event of the stream.
  await system.takeDown('nats');
  await deleteConsumerState();
  await system.bringBack('nats');
  await Promise.all(CONSUMERS.map(service => system.killAndReplace(service)));
  await system.untilReady();

  // Events are delivered in stream order: once the new ones are processed, all old ones were delivered again.
  await expectInvariantsUnderLoad(context, { ...run, before: first }, load => load.untilAcknowledged(25));
  const { subscriptions: after } = await readSnapshot(tenant);
  const known = new Set(before.map(({ id }) => id));
  expect(after.filter(({ id }) => known.has(id))).toEqual(before);
});

it('accepts webhooks and writes during a NATS outage, and publishes later', async context => {
  const run = { system, random, eventsPerSecond: 20, writesPerSecond: 2 };
  const sent = await expectInvariantsUnderLoad(context, run, async (_load, tenant) => {
    await system.takeDown('nats', 'SIGKILL');
    // A load balancer goes on sending reads.
    const ready = await fetch(`${system.gatewayUrl}/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready', degraded: ['broker'] }]);
    await tenant.billing.customers.list().page();
    await delay(OUTAGE_MS);
    await system.bringBack('nats');
  });
  expect(new Set(sent.events.flatMap(({ statuses }) => statuses))).toEqual(new Set([200]));
  expect(new Set(sent.writes.flatMap(({ statuses }) => statuses))).toEqual(new Set([201]));
});

it('loses and duplicates nothing when NATS is killed repeatedly', async context => {
  await expectInvariantsUnderLoad(context, { system, random }, async load => {
    for (let kill = 0; kill < 5; kill += 1) {
      await system.killAndReplace('nats');
      await load.untilAcknowledged(random.between(5, 20));
    }
  });
});

it('loses and duplicates nothing when PostgreSQL is shut down three times', async context => {
  await expectInvariantsUnderLoad(context, { system, random }, async load => {
    for (let shutdown = 0; shutdown < 3; shutdown += 1) {
      await system.killAndReplace('postgres', 'SIGQUIT');
      await load.untilAcknowledged(random.between(0, 20));
    }
  });
});

it('returns 503 while PostgreSQL is down, and recovers with it', async context => {
  const sent = await expectInvariantsUnderLoad(context, { system, random }, async load => {
    await system.takeDown('postgres', 'SIGQUIT');
    const isRefused = () => load.sent.events.some(({ statuses }) => statuses.includes(503));
    await waitFor(isRefused, { what: '503 for an event' });
    await system.bringBack('postgres');
  });
  expect(new Set(sent.events.flatMap(({ statuses }) => statuses))).toEqual(new Set([200, 503]));
});

it.for(['postgres', 'nats', 'processor'] as const)(
  'recovers from a network that drops everything between services and %s',
  async (server, context) => {
    const run = { system, random, eventsPerSecond: 15, writesPerSecond: 2 };
    const sent = await expectInvariantsUnderLoad(context, run, async () => {
      system.proxies[server].set('black-hole');
      await delay(BLACK_HOLE_MS[server]);
      system.proxies[server].set('pass');
    });
    // Every request got a response within the gateway's deadline.
    const statuses = [...sent.events, ...sent.writes].flatMap(request => request.statuses);
    expect(statuses.filter(status => status === 0)).toEqual([]);
  },
);

async function deleteConsumerState(): Promise<void> {
  const streams = join(system.dataDir, 'nats/jetstream/EVENTS/streams');
  for (const stream of await readdir(streams)) await rm(join(streams, stream, 'obs'), { recursive: true });
}

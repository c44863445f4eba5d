import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readShown } from '../invariants/shown.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { expectKeptUnderLoad } from '../system/under-load.ts';

/** A client gives up after about 20 s unless it is told to wait without end. */
const LONGER_THAN_CLIENTS_WAIT_MS = 25_000;
const CONSUMING = ['subscriptions', 'customers', 'catalog', 'referrals', 'analytics', 'webhooks', 'portal'];

const random = seededRandom('lost broker');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem();
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('takes webhooks and writes while NATS is away, and passes everything on once it is back', async context => {
  const sent = await expectKeptUnderLoad(
    context,
    { system, random, eventsPerSecond: 20, writesPerSecond: 2 },
    async () => {
      await system.takeDown('nats', 'SIGKILL');
      await delay(LONGER_THAN_CLIENTS_WAIT_MS);
      await system.bringBack('nats');
    },
  );
  expect(new Set(sent.events.flatMap(({ answers }) => answers))).toEqual(new Set([200]));
  expect(new Set(sent.writes.flatMap(({ answers }) => answers))).toEqual(new Set([201]));
});

it('loses and doubles nothing when NATS is killed again and again', async context => {
  await expectKeptUnderLoad(context, { system, random }, async () => {
    for (let time = 0; time < 5; time += 1) {
      await system.killAndReplace('nats');
      await delay(random.between(200, 800));
    }
  });
});

it('shows the same as before when every fact is delivered to every service once more', async context => {
  const tenant = await system.newTenant();
  const run = { system, random, tenant, writesPerSecond: 2 };
  const first = await expectKeptUnderLoad(context, run, () => delay(2_000));
  const { subscriptions: before } = await readShown(tenant);

  // What the broker knew of who has read what is gone; the services begin again with the first fact.
  await system.takeDown('nats');
  await forgetConsumers();
  await system.bringBack('nats');
  await Promise.all(CONSUMING.map(service => system.killAndReplace(service)));
  await system.untilReady();

  // Facts are read in the order of the stream: once these are done, every former one has come around.
  const second = await expectKeptUnderLoad(context, { ...run, before: first }, () => delay(1_000));
  expect(second.events.length).toBeGreaterThan(0);
  const { subscriptions: after } = await readShown(tenant);
  const known = new Set(before.map(({ id }) => id));
  expect(after.filter(({ id }) => known.has(id))).toEqual(before);
});

async function forgetConsumers(): Promise<void> {
  const streams = join(system.dataDir, 'nats/jetstream/$G/streams');
  for (const stream of await readdir(streams)) await rm(join(streams, stream, 'obs'), { recursive: true });
}

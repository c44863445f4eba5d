import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';

/** Longer than the connect timeout, so that requests fail instead of waiting for the restart. */
const OUTAGE_MS = 10_000;

const random = seededRandom('database outage');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem();
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('loses and duplicates nothing when PostgreSQL is shut down three times', async context => {
  await expectInvariantsUnderLoad(context, { system, random }, async load => {
    for (let shutdown = 0; shutdown < 3; shutdown += 1) {
      await system.killAndReplace('postgres', 'SIGQUIT');
      await load.untilAcknowledged(random.between(0, 20));
    }
  });
});

it('returns 503 while PostgreSQL is down, and recovers with it', async context => {
  const sent = await expectInvariantsUnderLoad(context, { system, random }, async () => {
    await system.takeDown('postgres', 'SIGQUIT');
    await delay(OUTAGE_MS);
    await system.bringBack('postgres');
  });
  expect(new Set(sent.events.flatMap(({ statuses }) => statuses))).toEqual(new Set([200, 503]));
});

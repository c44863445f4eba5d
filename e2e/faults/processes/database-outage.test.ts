import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';

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
  const sent = await expectInvariantsUnderLoad(context, { system, random }, async load => {
    await system.takeDown('postgres', 'SIGQUIT');
    const isRefused = () => load.sent.events.some(({ statuses }) => statuses.includes(503));
    await waitFor(isRefused, { what: '503 for an event' });
    await system.bringBack('postgres');
  });
  expect(new Set(sent.events.flatMap(({ statuses }) => statuses))).toEqual(new Set([200, 503]));
});

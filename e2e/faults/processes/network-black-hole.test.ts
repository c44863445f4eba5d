import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Proxied } from '../system/faulty-programs.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';

/** Longer than services take to detect a dead connection to each server, in milliseconds. */
const BLACK_HOLE_MS: Readonly<Record<Proxied, number>> = { postgres: 20_000, nats: 25_000, processor: 12_000 };

const random = seededRandom('network black hole');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem();
});
afterAll(() => system?.[Symbol.asyncDispose]());

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

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Proxied } from '../system/faulty-programs.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { expectKeptUnderLoad } from '../system/under-load.ts';

/** Longer than each takes to find its connection dead, in milliseconds. */
const SWALLOWED_MS: Readonly<Record<Proxied, number>> = { postgres: 20_000, nats: 25_000, processor: 12_000 };

const random = seededRandom('swallowing network');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem();
});
afterAll(() => system?.[Symbol.asyncDispose]());

it.for(['postgres', 'nats', 'processor'] as const)(
  'gets over a network that swallows everything between it and %s',
  async (server, context) => {
    const load = { system, random, eventsPerSecond: 15, writesPerSecond: 2 };
    const sent = await expectKeptUnderLoad(context, load, async () => {
      system.proxies[server].set('black-hole');
      await delay(SWALLOWED_MS[server]);
      system.proxies[server].set('pass');
    });
    // Nobody was kept waiting beyond the gateway's own deadline.
    const answers = [...sent.events, ...sent.writes].flatMap(request => request.answers);
    expect(answers.filter(status => status === 0)).toEqual([]);
  },
);

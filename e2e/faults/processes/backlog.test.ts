import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eachOf } from '../system/sender.ts';
import { postEvent } from '../system/sender.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { eventsOf } from '../system/load.ts';
import { seededRandom } from '../system/random.ts';
import { expectSettled } from '../system/under-load.ts';

/** As many as two cores work off in well under a minute; a larger one takes longer and shows the same. */
const EVENTS = Number(process.env['FAULT_BACKLOG'] ?? 10_000);
const READERS = ['subscriptions', 'analytics', 'referrals', 'portal'];
const MOST_BYTES = 300 * 1_024 ** 2;

const random = seededRandom('backlog');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem();
});
afterAll(() => system?.[Symbol.asyncDispose]());

it(
  'works off what gathered while its readers were down, in bounded memory, and answers meanwhile',
  { timeout: 1_200_000 },
  async context => {
    const tenant = await system.newTenant();
    const draw = await eventsOf(tenant, random);
    const events = Array.from({ length: EVENTS }, () => draw.next());
    await Promise.all(READERS.map(reader => system.takeDown(reader)));
    await eachOf(events, event => postEvent(system.gatewayUrl, tenant, event), 32);
    expect(events.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);

    await Promise.all(READERS.map(reader => system.bringBack(reader)));
    const working = new AbortController();
    const asking = askMeanwhile(working.signal);
    try {
      await expectSettled(context, { system, tenant, sent: { events, writes: [] }, drainMs: 480_000 });
    } finally {
      working.abort();
    }

    expect(new Set(await asking)).toEqual(new Set([200]));
    for (const reader of [...READERS, 'webhooks']) expect(system.residentBytes(reader)).toBeLessThan(MOST_BYTES);

    async function askMeanwhile(signal: AbortSignal): Promise<number[]> {
      const statuses: number[] = [];
      while (!signal.aborted) {
        const answers = await Promise.all(
          ['/subscriptions', '/customers', '/analytics'].map(path => tenant.api.get(tenant.P + path)),
        );
        statuses.push(...answers.map(({ status }) => status));
        await delay(100);
      }
      return statuses;
    }
  },
);

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import type { SentEvent, Write } from '../system/sent-requests.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';

const SERVICES = ['gateway', 'catalog', 'customers', 'subscriptions', 'referrals', 'analytics', 'webhooks', 'portal'];

const random = seededRandom('rolling restart');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem({ isBalanced: true });
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('fails no request that one retry does not cure when every copy is restarted in turn', async context => {
  const run = { system, random, eventsPerSecond: 6, writesPerSecond: 0.7, retriesOnce: true };
  const sent = await expectInvariantsUnderLoad(context, run, async load => {
    for (const service of random.shuffled(SERVICES))
      for (const copy of [service, `${service}-2`]) {
        await system.takeDown(copy);
        await system.bringBack(copy);
        await load.untilAcknowledged(1);
      }
  });
  const repeated = [...sent.events, ...sent.writes].filter(({ statuses }) => statuses.length > 1);
  console.log(`${repeated.length} requests were repeated: ${JSON.stringify(repeated.map(({ statuses }) => statuses))}`);
  expect(repeated.filter(isNotCured)).toEqual([]);
});

/** Whether one retry did not suffice. */
const isNotCured = ({ statuses }: SentEvent | Write): boolean => statuses.length > 2;

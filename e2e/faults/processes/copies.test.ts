import { SERVICES } from '@billing/contracts/operation';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copiesOf } from '../system/faulty-programs.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { startReadLoad } from '../system/read-load.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';

const COPIES = Number(process.env['FAULT_COPIES'] ?? 3);

const random = seededRandom('copies');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem({ balancedCopies: COPIES });
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('loses and duplicates nothing when every copy of every service is killed in turn', async context => {
  const run = { system, random, eventsPerSecond: 6, writesPerSecond: 0.7 };
  const copies = random.shuffled(SERVICES.flatMap(service => copiesOf(service, COPIES)));
  expect(copies).toHaveLength(SERVICES.length * COPIES);
  const sent = await expectInvariantsUnderLoad(context, run, async load => {
    for (const copy of copies) {
      const before = system.pidOf(copy);
      await system.killAndReplace(copy);
      expect(system.pidOf(copy)).not.toBe(before);
      await load.untilAcknowledged(random.between(0, 4));
    }
  });
  expect(sent.events.length).toBeGreaterThan(copies.length);
});

it('fails no request when every copy is restarted in turn', async context => {
  const tenant = await system.newTenant();
  const run = { system, random, tenant, eventsPerSecond: 4, writesPerSecond: 0.5, retriesOnce: true };
  const reads = startReadLoad(system.entranceUrl, tenant);
  const sent = await expectInvariantsUnderLoad(context, run, async load => {
    for (const service of random.shuffled(SERVICES))
      for (const copy of copiesOf(service, COPIES)) {
        await system.takeDown(copy);
        await system.bringBack(copy);
        await load.untilAcknowledged(1);
      }
  });
  const { requests, repeated: repeatedReads } = await reads.stop();
  const repeatedWrites = [...sent.events, ...sent.writes]
    .map(({ statuses }) => statuses)
    .filter(statuses => statuses.length > 1);
  const repeated = [...repeatedWrites, ...repeatedReads];
  console.log(`${repeated.length} of ${requests + sent.events.length + sent.writes.length} requests were repeated`);
  expect(requests).toBeGreaterThan(1_000);
  expect(repeated).toEqual([]);
});

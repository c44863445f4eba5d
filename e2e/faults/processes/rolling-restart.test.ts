import { SERVICES } from '@billing/contracts/operation';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { copiesOf } from '../system/faulty-programs.ts';
import { seededRandom } from '../system/random.ts';
import { startReadLoad } from '../system/read-load.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';

const COPIES = Number(process.env['FAULT_COPIES'] ?? 2);

const random = seededRandom('rolling restart');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem({ balancedCopies: COPIES });
});
afterAll(() => system?.[Symbol.asyncDispose]());

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

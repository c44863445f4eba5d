import { SERVICES } from '@billing/contracts/operation';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copiesOf } from '../system/faulty-programs.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';

const COPIES = Number(process.env['FAULT_COPIES'] ?? 3);

const random = seededRandom('killed copies');
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

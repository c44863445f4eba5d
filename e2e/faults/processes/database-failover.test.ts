import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { startPostgresPair, type PostgresPair } from '../system/postgres-pair.ts';
import { seededRandom } from '../system/random.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';

const random = seededRandom('database failover');
let pair: PostgresPair;
let system: FaultySystem;
beforeAll(async () => {
  pair = await startPostgresPair();
  system = await startFaultySystem({ databaseUrl: pair.adminUrl });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await pair?.[Symbol.asyncDispose]();
});

it('has everything acknowledged after the primary is killed and its standby is promoted', async context => {
  const sent = await expectInvariantsUnderLoad(context, { system, random }, async load => {
    await load.untilAcknowledged(60);
    // The proxy stands in for the address that follows the primary.
    system.proxies.postgres.retarget(await pair.failOver());
    await load.untilAcknowledged(60);
  });
  expect(sent.events.length).toBeGreaterThan(120);
});

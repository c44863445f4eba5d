import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkInvariants } from '../invariants/check-invariants.ts';
import { drain } from '../system/drain.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { startLoad } from '../system/load.ts';
import { seededRandom } from '../system/random.ts';
import { expectKept, expectSettled } from '../system/under-load.ts';

const random = seededRandom('stopped copy');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem({ copies: { subscriptions: 2, analytics: 2 } });
});
afterAll(() => system?.[Symbol.asyncDispose]());

it.for(['subscriptions', 'analytics'])(
  'lets another copy of %s take over from one that stands still, and ignores what that one does late',
  async (service, context) => {
    const tenant = await system.newTenant();
    const load = await startLoad({ tenant, random, gatewayUrls: [system.gatewayUrl] });
    await delay(1_500);
    system.signal(`${service}-2`, 'SIGSTOP');
    try {
      await delay(1_500);
      await load.stop();
      // The copy that stands still had facts in hand, and holds locks until the database ends its transactions.
      await expectSettled(context, { system, tenant, sent: load.sent });
    } finally {
      system.signal(`${service}-2`, 'SIGCONT');
    }
    await system.untilReady();
    await delay(2_000); // it does now what it had in hand
    await drain(tenant);
    expectKept(await checkInvariants({ tenant, sent: load.sent }));
    expect(system.isRunning(`${service}-2`)).toBe(true);
  },
);

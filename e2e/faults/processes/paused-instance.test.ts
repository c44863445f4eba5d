import { afterAll, beforeAll, expect, it } from 'vitest';
import { drain } from '../../system/drain.ts';
import { checkInvariants } from '../invariants/check-invariants.ts';
import { expectNoViolations } from '../invariants/expect-invariants.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { startLoad } from '../system/load.ts';
import { seededRandom } from '../system/random.ts';
import { expectInvariantsAfterDrain } from '../system/under-load.ts';

const random = seededRandom('paused instance');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem({ instances: { subscriptions: 2, analytics: 2 } });
});
afterAll(() => system?.[Symbol.asyncDispose]());

it.for(['subscriptions', 'analytics'])(
  'hands the work of a paused %s instance to another, and ignores its late writes',
  async (service, context) => {
    const paused = `${service}-2`;
    const tenant = await system.newTenant();
    const load = await startLoad({ tenant, random, gatewayUrls: [system.gatewayUrl] });
    await load.untilAcknowledged(30);
    const pid = system.pidOf(paused);
    system.signal(paused, 'SIGSTOP');
    try {
      await load.untilAcknowledged(30);
      await load.stop();
      // The paused instance has events in flight, and holds row locks until PostgreSQL ends its transactions.
      await expectInvariantsAfterDrain(context, { system, tenant, sent: load.sent });
    } finally {
      system.signal(paused, 'SIGCONT');
    }
    await system.untilReady();
    expect(system.pidOf(paused)).toBe(pid);
    // A graceful stop waits for the work in flight, so the late writes have been tried.
    await system.takeDown(paused);
    await drain(tenant);
    expectNoViolations(await checkInvariants({ tenant, sent: load.sent }));
    await system.bringBack(paused);
  },
);

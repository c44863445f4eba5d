import { afterAll, beforeAll, expect, it } from 'vitest';
import { newCustomer } from '../../system/tenant.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';

const SERVICES = ['gateway', 'catalog', 'customers', 'subscriptions', 'referrals', 'analytics', 'webhooks', 'portal'];

const random = seededRandom('killed services');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem();
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('loses and duplicates nothing when every service is killed in turn', async context => {
  const tenant = await system.newTenant();
  const { portalUrl } = await tenant.billing.portal.create({ customerId: await newCustomer(tenant) });

  await expectInvariantsUnderLoad(context, { system, random, tenant }, async load => {
    for (const service of random.shuffled(SERVICES)) {
      await system.killAndReplace(service);
      await load.untilAcknowledged(random.between(0, 8));
    }
  });
  expect((await fetch(portalUrl)).status).toBe(200);
});

it('survives kills between the processor’s response and the commit', async context => {
  const { postgres, processor } = system.proxies;
  await expectInvariantsUnderLoad(context, { system, random, eventsPerSecond: 20 }, async load => {
    // Slow connections keep many requests between the processor's response and the commit.
    postgres.set({ delay: 10 });
    processor.set({ delay: 100 });
    for (const service of random.shuffled(['customers', 'webhooks', 'subscriptions', 'analytics'])) {
      await system.killAndReplace(service);
      await load.untilAcknowledged(random.between(0, 10));
    }
    for (const proxy of [postgres, processor]) proxy.set('pass');
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newCustomer } from '../../system/tenant.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { expectKeptUnderLoad } from '../system/under-load.ts';

const SERVICES = ['gateway', 'catalog', 'customers', 'subscriptions', 'referrals', 'analytics', 'webhooks', 'portal'];

const random = seededRandom('killed services');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem();
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('loses and doubles nothing when every service is killed in turn', async context => {
  const tenant = await system.newTenant();
  const { portalUrl } = await tenant.billing.portal.create({ customerId: await newCustomer(tenant) });

  await expectKeptUnderLoad(context, { system, random, tenant }, async () => {
    for (const service of random.shuffled(SERVICES)) {
      await system.killAndReplace(service);
      await delay(random.between(0, 300));
    }
  });
  expect((await fetch(portalUrl)).status).toBe(200);
});

it('loses and doubles nothing when services are killed between a call’s answer and its commit', async context => {
  const { postgres, processor } = system.proxies;
  await expectKeptUnderLoad(context, { system, random, eventsPerSecond: 20 }, async () => {
    // Slow lines hold many requests at the points between the processor's answer, the commit and our answer.
    postgres.set({ delay: 10 });
    processor.set({ delay: 100 });
    for (const service of random.shuffled(['customers', 'webhooks', 'subscriptions', 'analytics'])) {
      await system.killAndReplace(service);
      await delay(random.between(0, 500));
    }
    for (const proxy of [postgres, processor]) proxy.set('pass');
  });
});

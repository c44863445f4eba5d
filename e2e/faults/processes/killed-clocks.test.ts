import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newMonthlyPrice } from '../../system/tenant.ts';
import { newClock, sell } from '../../test/test-clocks/clocks.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';

const CLOCKS = 3;
const KILLS = 9;
/** An advance whose process died goes on when its lease ends. */
const LONG_MS = 400_000;
const KILLED = ['customers', 'subscriptions', 'webhooks'] as const;

const random = seededRandom('killed clocks');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem();
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('is ready with a year of invoices, each told once, although services are killed while it advances', async () => {
  const tenant = await system.newTenant();
  const { billing, processor } = tenant;
  const { priceId } = await newMonthlyPrice(tenant);
  const clocks = await Promise.all(
    Array.from({ length: CLOCKS }, async () => {
      const { clock, customer } = await newClock(tenant);
      await sell(tenant, customer.id, priceId);
      return { id: clock.id, customerId: customer.id };
    }),
  );
  await processor.setDeliveryRules({ dropNext: 1_000_000 });
  await processor.fail({ path: '/v1/', method: 'GET', mode: 'slow', delayMs: 200, times: 400 });
  for (const { id } of clocks) await billing.testClocks.advance(id, { to: '2031-01-31T13:00:00Z' });
  for (let kill = 0; kill < KILLS; kill += 1) {
    await pause(random.between(100, 1_500));
    await system.killAndReplace(KILLED[kill % KILLED.length] ?? 'customers');
  }
  for (const { id, customerId } of clocks) {
    const isReady = async () => (await billing.testClocks.get(id)).status === 'ready';
    await waitFor(isReady, { what: 'the clock to be ready', timeoutMs: LONG_MS });
    const { items } = await billing.invoices.list({ customerId, limit: 100 }).page();
    expect(items.map(({ status }) => status)).toEqual(Array.from({ length: 13 }, () => 'paid'));
  }
  const events = await Array.fromAsync(billing.events.list({ types: ['invoice.paid'], limit: 100 }));
  expect(events).toHaveLength(13 * CLOCKS);
  expect(new Set(events.map(({ data }) => Object(data).id)).size).toBe(13 * CLOCKS);
});

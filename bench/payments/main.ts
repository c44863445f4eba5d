import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startLocalSystem } from '@billing/local-system';
import { z } from 'zod';
import { median, quantile } from '../statistics.ts';
import { newTenant, type Tenant } from '../tenant.ts';

const URLS = { successUrl: 'https://shop.example/', cancelUrl: 'https://shop.example/' };
const ACTIVE_WITHIN_MS = 60_000;
const POLL_INTERVAL_MS = 10;

/** Starts a whole system and measures how long a paid subscription takes to be active in the API. */
async function measure(payments: number): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'billing-bench-'));
  resources.defer(() => rm(dataDir, { recursive: true, force: true }));
  // One API key sends every request.
  process.env['RATE_LIMIT_PER_KEY'] ??= '100000';
  const system = resources.use(await startLocalSystem({ dataDir, logLevel: 'warn' }));
  const tenant = await newTenant(system, { receivesWebhooks: true });
  const { id: productId } = await tenant.billing.products.create({ name: 'Bench' });
  const monthly = { unitAmount: 2_999, currency: 'usd', interval: 'month' } as const;
  const { id: priceId } = await tenant.billing.prices.create({ productId, ...monthly });

  await pay(tenant, priceId); // warm-up
  const durations: number[] = [];
  while (durations.length < payments) durations.push(await pay(tenant, priceId));
  const [middle, p99] = [median(durations), quantile(durations, 0.99)].map(ms => `${ms.toFixed(0)} ms`);
  console.log(
    `payment to active subscription, ${payments} payments: median ${middle} (aim: under 1000 ms), p99 ${p99}`,
  );
}

/** Pays for a new customer. Returns the milliseconds from the payment until the API shows an active subscription. */
async function pay({ billing }: Tenant, priceId: string): Promise<number> {
  const { id: customerId } = await billing.customers.create({ email: `${crypto.randomUUID()}@example.com` });
  const { url } = await billing.checkout.create({ customerId, priceId, ...URLS });
  await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' });
  const paidAt = performance.now();
  while ((await billing.subscriptions.list({ customerId }).page()).items[0]?.status !== 'active') {
    if (performance.now() - paidAt > ACTIVE_WITHIN_MS) throw new Error('A paid subscription did not become active.');
    await delay(POLL_INTERVAL_MS);
  }
  return performance.now() - paidAt;
}

const { values } = parseArgs({ options: { payments: { type: 'string', default: '20' } } });
await measure(z.coerce.number().int().min(1).parse(values.payments));

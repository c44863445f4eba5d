import { setTimeout as delay } from 'node:timers/promises';
import { startBenchSystem } from '../load/bench-system.ts';
import type { Part, PartOptions, Result } from '../part.ts';
import { median, quantile } from '../statistics.ts';
import { newSecretKey, newTenant, registerEndpoint, type Tenant } from '../tenant.ts';
import { startBareEndpoint, type BareEndpoint } from './bare-endpoint.ts';

const PAYMENTS_PER_ROUND = 40;
const WARM_UP = 120;
const URLS = { successUrl: 'https://shop.example/', cancelUrl: 'https://shop.example/' };
const ACTIVE_WITHIN_MS = 60_000;
/** When the state is first requested, and the pause before each further request: they cost time that the payment needs. */
const FIRST_REQUEST_MS = 15;
const POLL_INTERVAL_MS = 2;
/** Between two payments, so that each finds an idle system. */
const IDLE_MS = 250;
const GOAL_MS = { p50: 40, p99: 90 };

/** Milliseconds from the response of the payment page. */
interface Payment {
  /** Until the API shows the subscription as active. */
  readonly active: number;
  /** Until a bare endpoint has received the event that shows it as active. */
  readonly delivered: number;
}

/**
 * Pays for one subscription at a time on an idle system. The processor delivers every event to our gateway and to an
 * endpoint that does nothing; what the latter waits for the event is the processor's own time.
 */
export const payment: Part = { name: 'payment', measure };

async function measure({ rounds, scale }: PartOptions): Promise<Result[]> {
  await using resources = new AsyncDisposableStack();
  const { system } = resources.use(await startBenchSystem());
  const secretKey = newSecretKey();
  const endpoint = resources.use(await startBareEndpoint());
  // Registered before ours, it gets each event first: what is subtracted is rather too little than too much.
  await registerEndpoint(system.processorUrl ?? '', secretKey, endpoint.url);
  const tenant = await newTenant(system, { receivesWebhooks: true, secretKey });
  const { id: productId } = await tenant.billing.products.create({ name: 'Bench' });
  const monthly = { unitAmount: 2_999, currency: 'usd', interval: 'month' } as const;
  const { id: priceId } = await tenant.billing.prices.create({ productId, ...monthly });

  for (let number = 0; number < WARM_UP; number += 1) await pay(tenant, priceId, endpoint);
  const measured: { readonly p50: number; readonly p99: number; readonly delivered: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const payments: Payment[] = [];
    const count = Math.ceil(PAYMENTS_PER_ROUND / scale);
    while (payments.length < count) payments.push(await pay(tenant, priceId, endpoint));
    const own = payments.map(({ active, delivered }) => active - delivered);
    const result = {
      p50: quantile(own, 0.5),
      p99: quantile(own, 0.99),
      delivered: median(payments.map(it => it.delivered)),
    };
    console.log(
      `round ${round}: p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms, delivery ${result.delivered.toFixed(1)} ms`,
    );
    measured.push(result);
  }
  await requireAllActive(tenant, WARM_UP + rounds * Math.ceil(PAYMENTS_PER_ROUND / scale));

  const delivery = `${median(measured.map(it => it.delivered)).toFixed(1)} ms of delivery subtracted`;
  return (['p50', 'p99'] as const).map(name => {
    const ms = median(measured.map(it => it[name]));
    return {
      what: `lone payment until active, ${name}`,
      billing: `${ms.toFixed(1)} ms`,
      against: delivery,
      goal: `at most ${GOAL_MS[name]} ms`,
      isReached: ms <= GOAL_MS[name],
    };
  });
}

/** Pays for a new customer. */
async function pay({ billing }: Tenant, priceId: string, endpoint: BareEndpoint): Promise<Payment> {
  const customer = await billing.customers.create({ email: `${crypto.randomUUID()}@example.com` });
  const { id: customerId, processorCustomerId } = customer;
  const { url } = await billing.checkout.create({ customerId, priceId, ...URLS });
  await delay(IDLE_MS);
  await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' });
  const paidAt = performance.now();
  await delay(FIRST_REQUEST_MS);
  while ((await billing.subscriptions.list({ customerId }).page()).items[0]?.status !== 'active') {
    if (performance.now() - paidAt > ACTIVE_WITHIN_MS) throw new Error('A paid subscription did not become active.');
    await delay(POLL_INTERVAL_MS);
  }
  const active = performance.now() - paidAt;
  return { active, delivered: (await endpoint.activeAt(processorCustomerId)) - paidAt };
}

async function requireAllActive({ billing }: Tenant, payments: number): Promise<void> {
  const { total } = await billing.subscriptions.list({ limit: 1 }).page();
  if (total !== payments) throw new Error(`${total} subscriptions are active after ${payments} payments.`);
}

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
/** Where a payment is looked for: in the list of subscriptions, and in what the customer may use. */
const SHOWN_IN = ['list', 'state'] as const;
type ShownIn = (typeof SHOWN_IN)[number];
const GOALS = [
  { shownIn: 'list', quantile: 'p50', ms: 40 },
  { shownIn: 'list', quantile: 'p99', ms: 90 },
  { shownIn: 'state', quantile: 'p50', ms: 50 },
] as const;
const FEATURE = 'api-access';

/** Milliseconds from the response of the payment page. */
interface Payment {
  /** Until the API shows it. */
  readonly shown: number;
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

  await tenant.billing.features.create({ key: FEATURE, name: 'API access', type: 'boolean' });
  await tenant.billing.productFeatures.set(productId, FEATURE, { value: true });

  const payNext = (shownIn: ShownIn) => pay(tenant, { priceId, endpoint, shownIn });
  for (let number = 0; number < WARM_UP / 2; number += 1) for (const shownIn of SHOWN_IN) await payNext(shownIn);
  const measured: Record<ShownIn, Measured>[] = [];
  const count = Math.ceil(PAYMENTS_PER_ROUND / scale);
  for (let round = 1; round <= rounds; round += 1) {
    const payments: Record<ShownIn, Payment[]> = { list: [], state: [] };
    for (let number = 0; number < count; number += 1)
      for (const shownIn of SHOWN_IN) payments[shownIn].push(await payNext(shownIn));
    const of = { list: measuredOf(payments.list), state: measuredOf(payments.state) };
    for (const [name, { p50, p99, delivered }] of Object.entries(of))
      console.log(
        `round ${round}, ${name}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, delivery ${delivered.toFixed(1)} ms`,
      );
    measured.push(of);
  }
  await requireAllActive(tenant, WARM_UP + rounds * count * SHOWN_IN.length);

  return GOALS.map(({ shownIn, quantile: name, ms: goal }) => {
    const ms = median(measured.map(it => it[shownIn][name]));
    const delivery = median(measured.map(it => it[shownIn].delivered));
    return {
      what: `lone payment until ${shownIn === 'list' ? 'active' : 'its feature is in the state'}, ${name}`,
      billing: `${ms.toFixed(1)} ms`,
      against: `${delivery.toFixed(1)} ms of delivery subtracted`,
      goal: `at most ${goal} ms`,
      isReached: ms <= goal,
    };
  });
}

/** What payments took in one round, in milliseconds, less the time of their delivery. */
interface Measured {
  readonly p50: number;
  readonly p99: number;
  readonly delivered: number;
}

function measuredOf(payments: readonly Payment[]): Measured {
  const own = payments.map(({ shown, delivered }) => shown - delivered);
  return {
    p50: quantile(own, 0.5),
    p99: quantile(own, 0.99),
    delivered: median(payments.map(it => it.delivered)),
  };
}

interface PaymentOptions {
  readonly priceId: string;
  readonly endpoint: BareEndpoint;
  readonly shownIn: ShownIn;
}

/** Pays for a new customer. */
async function pay({ billing }: Tenant, { priceId, endpoint, shownIn }: PaymentOptions): Promise<Payment> {
  const customer = await billing.customers.create({ email: `${crypto.randomUUID()}@example.com` });
  const { id: customerId, processorCustomerId } = customer;
  const isShown = {
    list: async () => (await billing.subscriptions.list({ customerId }).page()).items[0]?.status === 'active',
    state: async () => FEATURE in (await billing.states.get(customerId)).entitlements,
  }[shownIn];
  const { url } = await billing.checkout.create({ customerId, priceId, ...URLS });
  await delay(IDLE_MS);
  await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' });
  const paidAt = performance.now();
  await delay(FIRST_REQUEST_MS);
  while (!(await isShown())) {
    if (performance.now() - paidAt > ACTIVE_WITHIN_MS) throw new Error('A payment did not become visible.');
    await delay(POLL_INTERVAL_MS);
  }
  const shown = performance.now() - paidAt;
  return { shown, delivered: (await endpoint.activeAt(processorCustomerId)) - paidAt };
}

async function requireAllActive({ billing }: Tenant, payments: number): Promise<void> {
  const { total } = await billing.subscriptions.list({ limit: 1 }).page();
  if (total !== payments) throw new Error(`${total} subscriptions are active after ${payments} payments.`);
}

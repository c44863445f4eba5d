import { setTimeout as delay } from 'node:timers/promises';
import { startLocalSystem } from '@billing/local-system';
import { Client } from 'pg';
import { newTenant } from '../tenant.ts';
import { postPoisonedEvents } from './poisoned-events.ts';
import { newShop, type Shop } from './shop.ts';
import { eventId, requireNewestQuantities } from './subscription-events.ts';
import { areCompleted, readApplied, type Applied } from './webhook-events-table.ts';

export interface Billing extends AsyncDisposable {
  readonly url: string;
  readonly secret: string;
  readonly shop: Shop;
  /**
   * Waits until the events of these numbers are processed.
   * @throws Error when one failed or was lost
   */
  untilApplied(first: number, count: number): Promise<Applied>;
  /** Waits until analytics counts the first `sent` events, so that no background work is left. */
  untilCounted(sent: number): Promise<void>;
  /** Posts events whose handling always throws. */
  postPoisonedEvents(): Promise<void>;
  /** @throws Error unless `GET P/subscriptions` shows each subscription as its last of the first `sent` events does */
  verify(sent: number): Promise<void>;
}

interface BillingOptions {
  readonly dataDir: string;
  readonly adminUrl: string;
  readonly subscriptions: number;
}

const TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 250;

/** Starts a whole system with a tenant, its customers and a price. The first events create the subscriptions. */
export async function startBilling({ dataDir, adminUrl, subscriptions }: BillingOptions): Promise<Billing> {
  await using resources = new AsyncDisposableStack();
  const system = resources.use(await startLocalSystem({ dataDir, databaseUrl: adminUrl, logLevel: 'warn' }));
  const tenant = await newTenant(system);
  const { teamId, webhookSecret: secret, secretKey } = tenant;
  const shop = await newShop(tenant, subscriptions);
  const database = resources.adopt(new Client({ connectionString: adminUrl }), it => it.end());
  await database.connect();

  const url = `${system.gatewayUrl.replace('localhost', '127.0.0.1')}/api/webhooks/processor/${teamId}`;
  const running = resources.move();
  return {
    url,
    secret,
    shop,
    async untilApplied(first, count) {
      const range = { teamId, firstId: eventId(first), lastId: eventId(first + count - 1), count };
      await poll(() => areCompleted(database, range), `${count} events to be processed`);
      return readApplied(database, range);
    },
    untilCounted: sent =>
      poll(
        async () => (await tenant.billing.analytics.get()).webhookStats.processed >= sent,
        `analytics to count ${sent} events`,
      ),
    postPoisonedEvents: () =>
      postPoisonedEvents({ url, secret, shop, processorUrl: system.processorUrl ?? '', secretKey }),
    async verify(sent) {
      const quantities = new Map<string, number>();
      for await (const it of tenant.billing.subscriptions.list({ activeOnly: false }))
        quantities.set(it.processorSubscriptionId, it.quantity);
      requireNewestQuantities(shop, sent, id => quantities.get(id));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function poll(isDone: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`Waited ${TIMEOUT_MS / 1_000} s for ${what}.`);
    await delay(POLL_INTERVAL_MS);
  }
}

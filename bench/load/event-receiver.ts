import { setTimeout as delay } from 'node:timers/promises';
import { findServers } from '@billing/local-system/running-system';
import type { Client } from 'pg';
import { connectTo } from '../database.ts';
import { newTenant, type Tenant } from '../tenant.ts';
import type { Sent } from '../webhooks/generator.ts';
import { startLoad } from '../webhooks/load.ts';
import { newShop, UNIT_AMOUNT, type Shop } from '../webhooks/shop.ts';
import { eventId, requireNewestQuantities } from '../webhooks/subscription-events.ts';
import { areCompleted, readApplied, type Applied } from '../webhooks/webhook-events-table.ts';
import type { BenchSystem } from './bench-system.ts';

/** A tenant with a shop whose subscription events the benchmark posts. */
export interface EventReceiver extends AsyncDisposable {
  readonly tenant: Tenant;
  readonly shop: Shop;
  /** Where its webhooks are posted, and the secret that signs them. */
  readonly url: string;
  readonly secret: string;
  /** Connects to the schema of the webhooks service. */
  readonly database: Client;
  /** Posts the events of these numbers at full rate over 32 connections. @throws Error unless each got 200 */
  post(first: number, count: number): Promise<Sent>;
  /**
   * Waits until the events of these numbers are processed.
   * @throws Error when one failed, or they take longer than ten minutes
   */
  untilApplied(first: number, count: number): Promise<Applied>;
  /** Waits until analytics counts the first `sent` events as processed. */
  untilCounted(sent: number): Promise<void>;
  /**
   * Waits until analytics counts the first `sent` events, and checks what they lead to.
   * @throws Error unless the API shows each subscription as its last event does, and analytics shows their revenue
   */
  verify(sent: number): Promise<void>;
}

const CONNECTIONS = 32;
const TIMEOUT_MS = 600_000;
/** Analytics counts events and revenue in different batches. */
const EXACT_WITHIN_MS = 30_000;
const POLL_INTERVAL_MS = 500;

/** Creates a tenant and its shop, and posts the first events, which create the subscriptions: one each. */
export async function newEventReceiver(
  { system, dataDir, gatewayUrl }: BenchSystem,
  subscriptions: number,
): Promise<EventReceiver> {
  await using resources = new AsyncDisposableStack();
  const tenant = await newTenant(system);
  const { teamId, webhookSecret: secret, billing } = tenant;
  const shop = await newShop(tenant, subscriptions);
  const { databaseUrl } = findServers(dataDir, 'webhooks');
  const database = resources.use(await connectTo(databaseUrl));
  const load = resources.use(startLoad());
  const url = `${gatewayUrl}/api/webhooks/processor/${teamId}`;
  const receiver = {
    tenant,
    shop,
    url,
    secret,
    database,
    post: (first: number, count: number) => load.send({ url, secret, shop, first, count, connections: CONNECTIONS }),
    async untilApplied(first: number, count: number) {
      const range = { teamId, firstId: eventId(first), lastId: eventId(first + count - 1), count };
      await untilTrue(() => areCompleted(database, range), `${count} events to be processed`);
      return readApplied(database, range);
    },
    async untilCounted(sent: number) {
      const isCounted = async () => (await billing.analytics.get()).webhookStats.processed >= sent;
      await untilTrue(isCounted, `analytics to count ${sent} events`);
    },
    async verify(sent: number) {
      await receiver.untilCounted(sent);
      const quantities = new Map<string, number>();
      for await (const it of billing.subscriptions.list({ activeOnly: false, limit: 100 }))
        quantities.set(it.processorSubscriptionId, it.quantity);
      requireNewestQuantities(shop, sent, id => quantities.get(id));
      const units = [...quantities.values()].reduce((sum, quantity) => sum + quantity, 0);
      const isExact = async () => {
        const { mrr, subscriptionBreakdown } = await billing.analytics.get();
        return mrr === units * UNIT_AMOUNT && subscriptionBreakdown.active === quantities.size;
      };
      await untilTrue(isExact, 'analytics to be exact', EXACT_WITHIN_MS);
    },
  };
  await receiver.post(0, subscriptions);
  await receiver.untilApplied(0, subscriptions);
  const open = resources.move();
  return { ...receiver, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/**
 * Polls until a condition holds.
 * @throws Error when that takes too long
 */
async function untilTrue(isTrue: () => Promise<boolean>, what: string, timeoutMs = TIMEOUT_MS): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs / 1_000} s for ${what}.`);
    await delay(POLL_INTERVAL_MS);
  }
}

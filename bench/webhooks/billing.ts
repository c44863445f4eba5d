import { startLocalSystem } from '@billing/local-system';
import { connectTo } from '../database.ts';
import { poll } from '../poll.ts';
import { newTenant, type Tenant } from '../tenant.ts';
import { postPoisonedEvents } from './poisoned-events.ts';
import { newShop, UNIT_AMOUNT, type Shop } from './shop.ts';
import { eventId, newestQuantities, requireNewestQuantities } from './subscription-events.ts';
import { areCompleted, readApplied, type Applied } from './webhook-events-table.ts';

export interface Billing extends AsyncDisposable {
  readonly url: string;
  readonly secret: string;
  /** Each of its subscriptions has a customer of its own. */
  readonly shop: Shop;
  /** A shop whose subscriptions all have one customer. */
  readonly largeCustomer: { readonly shop: Shop; readonly url: string; readonly secret: string };
  /**
   * Waits until the events of these numbers are processed.
   * @throws Error when one failed or was lost
   */
  untilApplied(first: number, count: number, of?: Shop): Promise<Applied>;
  /**
   * Waits until analytics counts the first `sent` events, so that no background work is left.
   * @throws Error unless it then shows exactly the revenue and the subscriptions that these events leave
   */
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

/** Starts a whole system with a tenant, its customers and a price. The first events create the subscriptions. */
export async function startBilling({ dataDir, adminUrl, subscriptions }: BillingOptions): Promise<Billing> {
  await using resources = new AsyncDisposableStack();
  const system = resources.use(await startLocalSystem({ dataDir, databaseUrl: adminUrl, logLevel: 'warn' }));
  const tenant = await newTenant(system);
  const { webhookSecret: secret, secretKey } = tenant;
  const shop = await newShop(tenant, subscriptions);
  const other = await newTenant(system);
  const otherShop = await newShop(other, subscriptions, 1);
  const database = resources.use(await connectTo(adminUrl));
  const urlOf = ({ teamId }: Tenant) =>
    `${system.gatewayUrl.replace('localhost', '127.0.0.1')}/api/webhooks/processor/${teamId}`;
  const url = urlOf(tenant);
  const running = resources.move();
  return {
    url,
    secret,
    shop,
    largeCustomer: { shop: otherShop, url: urlOf(other), secret: other.webhookSecret },
    async untilApplied(first, count, { teamId } = shop) {
      const range = { teamId, firstId: eventId(first), lastId: eventId(first + count - 1), count };
      await poll(() => areCompleted(database, range), `${count} events to be processed`);
      return readApplied(database, range);
    },
    async untilCounted(sent) {
      const hasCounted = async () => (await tenant.billing.analytics.get()).webhookStats.processed >= sent;
      await poll(hasCounted, `analytics to count ${sent} events`);
      await requireAnalytics(tenant, shop, sent);
    },
    postPoisonedEvents: () =>
      postPoisonedEvents({ url, secret, shop, processorUrl: system.processorUrl ?? '', secretKey }),
    async verify(sent) {
      const quantities = new Map<string, number>();
      for await (const it of tenant.billing.subscriptions.list({ activeOnly: false, limit: 100 }))
        quantities.set(it.processorSubscriptionId, it.quantity);
      requireNewestQuantities(shop, sent, id => quantities.get(id));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/**
 * Waits until analytics shows the revenue of the subscriptions as the first `sent` events leave them.
 * @throws Error that compares both when it does not within two minutes
 */
async function requireAnalytics({ billing }: Tenant, shop: Shop, sent: number): Promise<void> {
  const quantities = [...newestQuantities(shop, sent).values()];
  const expected = { mrr: quantities.reduce((sum, it) => sum + it * UNIT_AMOUNT, 0), active: quantities.length };
  let shown = {};
  const isExact = async () => {
    const { mrr, subscriptionBreakdown } = await billing.analytics.get();
    shown = { mrr, active: subscriptionBreakdown.active };
    return mrr === expected.mrr && subscriptionBreakdown.active === expected.active;
  };
  await poll(isExact, `analytics to show ${JSON.stringify(expected)}`).catch((cause: unknown) => {
    throw new Error(`Analytics shows ${JSON.stringify(shown)}, expected ${JSON.stringify(expected)}.`, { cause });
  });
}

import { setTimeout as pause } from 'node:timers/promises';
import { startLocalSystem } from '@billing/local-system';
import { Client } from 'pg';
import { requireNewest } from './newest.ts';
import { postPoison } from './poison.ts';
import { eventId, type Shop } from './subscription-events.ts';
import { newShop, newTenant } from './tenant.ts';

/** How the events of one round were applied. Times are milliseconds since 1970. */
export interface Applied {
  readonly endedAt: number;
  /** From the moment an event was stored until it was processed, in milliseconds. */
  readonly latencies: readonly number[];
}

export interface Billing extends AsyncDisposable {
  readonly url: string;
  readonly secret: string;
  readonly shop: Shop;
  /**
   * Waits until the events of these numbers are processed.
   * @throws Error when one failed, or was lost
   */
  untilApplied(first: number, count: number): Promise<Applied>;
  /** Waits until the figures include the first `sent` events too: what nobody waited for is done then as well. */
  untilCounted(sent: number): Promise<void>;
  /** Posts events that cannot be handled, whatever is tried. */
  poison(): Promise<void>;
  /** @throws Error unless `GET P/subscriptions` shows every subscription as the last of the first `sent` events has it */
  verify(sent: number): Promise<void>;
}

interface BillingOptions {
  readonly dataDir: string;
  readonly adminUrl: string;
  readonly subscriptions: number;
}

const PATIENCE_MS = 120_000;
const POLL_MS = 250;

/** Starts the whole system with a tenant that has customers and a price; its subscriptions come with their first events. */
export async function startBilling({ dataDir, adminUrl, subscriptions }: BillingOptions): Promise<Billing> {
  await using resources = new AsyncDisposableStack();
  const system = resources.use(await startLocalSystem({ dataDir, databaseUrl: adminUrl, logLevel: 'warn' }));
  const tenant = await newTenant(system.gatewayUrl, system.processorUrl ?? '');
  const { teamId } = tenant;
  const shop = await newShop(tenant, subscriptions);
  const database = resources.adopt(new Client({ connectionString: adminUrl }), it => it.end());
  await database.connect();

  const url = `${system.gatewayUrl.replace('localhost', '127.0.0.1')}/api/webhooks/processor/${teamId}`;
  const running = resources.move();
  return {
    url,
    secret: tenant.webhookSecret,
    shop,
    async untilApplied(first, count) {
      const range = [teamId, eventId(first), eventId(first + count - 1)];
      const deadline = performance.now() + PATIENCE_MS;
      while (!(await areSettled(database, range, count))) {
        if (performance.now() > deadline) throw new Error(`Not all of ${count} events were processed.`);
        await pause(POLL_MS);
      }
      return readApplied(database, range);
    },
    async untilCounted(sent) {
      const deadline = performance.now() + PATIENCE_MS;
      while ((await tenant.billing.analytics.get()).webhookStats.processed < sent) {
        if (performance.now() > deadline) throw new Error(`The figures do not include all of ${sent} events.`);
        await pause(POLL_MS);
      }
    },
    poison() {
      const { webhookSecret: secret, secretKey } = tenant;
      return postPoison({ url, secret, shop, processorUrl: system.processorUrl ?? '', secretKey });
    },
    async verify(sent) {
      const quantities = new Map<string, number>();
      for await (const it of tenant.billing.subscriptions.list({ activeOnly: false }))
        quantities.set(it.processorSubscriptionId, it.quantity);
      requireNewest(shop, sent, id => quantities.get(id));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/**
 * Whether none of these events waits any more. Asked of the table, since a look through the API a few times a second
 * would be a load of its own; the last one first, since that is known at once.
 */
async function areSettled(database: Client, range: readonly string[], count: number): Promise<boolean> {
  const [teamId, , last] = range;
  const settled = `from webhooks.webhook_events where team_id = $1 and status <> 'received'`;
  if ((await database.query(`select 1 ${settled} and id = $2`, [teamId, last])).rowCount === 0) return false;
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int as count ${settled} and id between $2 and $3`,
    [...range],
  );
  return rows[0]?.count === count;
}

async function readApplied(database: Client, range: readonly string[]): Promise<Applied> {
  const { rows } = await database.query<{ status: string; processed_ms: number; took_ms: number }>(
    `select status, extract(epoch from processed_at)::float8 * 1000 as processed_ms,
            extract(epoch from processed_at - received_at)::float8 * 1000 as took_ms
       from webhooks.webhook_events where team_id = $1 and id between $2 and $3`,
    [...range],
  );
  const failed = rows.filter(row => row.status !== 'processed').length;
  if (failed > 0) throw new Error(`${failed} of ${rows.length} events failed.`);
  return {
    endedAt: rows.reduce((latest, row) => Math.max(latest, row.processed_ms), 0),
    latencies: rows.map(row => row.took_ms),
  };
}

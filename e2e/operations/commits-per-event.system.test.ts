import { findServers } from '@billing/local-system/running-system';
import { waitFor } from '@billing/testing/wait-for';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { postEvent } from '../faults/system/sender.ts';
import { newProcessorId, subscriptionEvent } from '../faults/system/webhook-events.ts';
import { startSystem } from '../system/start-system.ts';
import { newEmail, newTenant } from '../system/tenant.ts';

/** Commits of all services for one subscription, from its event to the metrics; two of them look at the customer's state. */
const MAX_COMMITS = 9;
/** The least of several events counts, since background work may commit meanwhile. */
const EVENTS = 2;
/** PostgreSQL counts as quiet after so many equal readings. */
const QUIET_READINGS = 12;
const UNIT_AMOUNT = 1_000;

it('needs few commits from a lone webhook to the metrics', async () => {
  const system = await startSystem();
  try {
    const { gatewayUrl, dataDir } = system;
    const tenant = await newTenant(system);
    await using transactions = await watchTransactions(findServers(dataDir, 'subscriptions').databaseUrl);

    const counts: number[] = [];
    for (let sent = 1; sent <= EVENTS; sent += 1) {
      const customer = await tenant.billing.customers.create({ email: newEmail() });
      const event = subscriptionEvent(
        'created',
        {
          id: newProcessorId('sub'),
          customer: customer.processorCustomerId,
          projectId: tenant.projectId,
          status: 'active',
          quantity: 1,
          startedAt: Math.floor(Date.now() / 1_000),
        },
        Math.floor(Date.now() / 1_000),
      );
      await transactions.untilQuiet();
      const { webhookStats: before } = await tenant.billing.analytics.get();
      const first = await transactions.next();
      await postEvent(gatewayUrl, tenant, event);
      await waitFor(
        async () => {
          const { mrr, webhookStats } = await tenant.billing.analytics.get();
          return mrr === sent * UNIT_AMOUNT && webhookStats.processed === before.processed + 1;
        },
        { what: 'the metrics to include the subscription', intervalMs: 5 },
      );
      counts.push((await transactions.next()) - first);
    }
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(4);
    expect(Math.min(...counts), `commits of each event: ${counts.join(', ')}`).toBeLessThanOrEqual(MAX_COMMITS);
  } finally {
    await system.stop();
  }
});

/**
 * Counts transactions that write: PostgreSQL gives each of them a number, in one sequence for the whole server. Uses SQL
 * because no HTTP response shows them. The system has a server of its own.
 */
async function watchTransactions(databaseUrl: string) {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  /** The number of the next transaction. */
  const next = async (): Promise<number> => {
    const { rows } = await client.query<{ next: string }>(
      'select pg_snapshot_xmax(pg_current_snapshot())::text as next',
    );
    return Number(rows[0]?.next);
  };
  return {
    next,
    async untilQuiet(): Promise<void> {
      let last = await next();
      let equal = 0;
      await waitFor(
        async () => {
          const now = await next();
          equal = now === last ? equal + 1 : 0;
          last = now;
          return equal >= QUIET_READINGS;
        },
        { what: 'PostgreSQL to be quiet', intervalMs: 200 },
      );
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

import { waitFor } from '@billing/testing/wait-for';
import { ok } from './http.ts';
import type { Tenant } from './tenant.ts';

/**
 * Waits until every webhook event of the tenant's team is completed and counted in analytics. Returns the time it took,
 * in milliseconds.
 * @throws Error with what is still unprocessed after `timeoutMs`
 */
export async function drain(tenant: Tenant, timeoutMs = 180_000): Promise<number> {
  const startedAt = performance.now();
  await waitFor(
    async () => {
      const scheduled = await tenant.processor.deliveries({ status: 'scheduled' });
      const waiting = await countTeamEvents(tenant, 'received');
      const [total, counted] = [await countTeamEvents(tenant), await countProjectEvents(tenant)];
      const { webhookStats: stats } = await tenant.billing.analytics.get();
      const isDone = scheduled.length === 0 && waiting === 0 && stats.total >= counted;
      if (isDone && stats.processed + stats.failed === stats.total) return true;
      throw new Error(
        `${scheduled.length} deliveries scheduled, ${waiting} of ${total} events waiting, ` +
          `analytics counts ${JSON.stringify(stats)} of ${counted}`,
      );
    },
    { what: 'the system to drain', timeoutMs, intervalMs: 300 },
  );
  return performance.now() - startedAt;
}

/** Counts events of the team as a team member sees them: events without a project are included. */
async function countTeamEvents({ user, P }: Tenant, status?: string): Promise<number> {
  const { pagination } = await ok(user.get(`${P}/webhook-events?limit=1${status ? `&status=${status}` : ''}`));
  return pagination.total as number;
}

/** Counts the events of the project that analytics counts: all but the ignored ones. */
async function countProjectEvents({ api, P }: Tenant): Promise<number> {
  const [all, ignored] = await Promise.all(
    ['', '&status=ignored'].map(
      async filter => (await ok(api.get(`${P}/webhook-events?limit=1${filter}`))).pagination.total as number,
    ),
  );
  return (all ?? 0) - (ignored ?? 0);
}

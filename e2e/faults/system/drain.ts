import { waitFor } from '@billing/testing/wait-for';
import { ok } from '../../system/http.ts';
import type { Tenant } from '../../system/tenant.ts';

/**
 * Waits until every event the tenant's team received has an end, and analytics has heard of it. Answers the time it
 * took in milliseconds.
 * @throws when something is still under way after `timeoutMs`, saying what
 */
export async function drain(tenant: Tenant, timeoutMs = 90_000): Promise<number> {
  const startedAt = performance.now();
  await waitFor(
    async () => {
      const scheduled = await tenant.processor.deliveries({ status: 'scheduled' });
      const waiting = await totalOf(tenant, 'received');
      const [all, routed] = [await totalOf(tenant), await projectTotalOf(tenant)];
      const { webhookStats: stats } = await tenant.billing.analytics.get();
      const isDone = scheduled.length === 0 && waiting === 0 && stats.total >= routed;
      if (isDone && stats.processed + stats.failed === stats.total) return true;
      throw new Error(
        `${scheduled.length} deliveries scheduled, ${waiting} of ${all} events waiting, analytics ${JSON.stringify(stats)} of ${routed}`,
      );
    },
    { what: 'the system to drain', timeoutMs, intervalMs: 300 },
  );
  return performance.now() - startedAt;
}

/** Of the whole team, as its developer sees them: those without a project too. */
async function totalOf({ user, P }: Tenant, status?: string): Promise<number> {
  const { pagination } = await ok(user.get(`${P}/webhook-events?limit=1${status ? `&status=${status}` : ''}`));
  return pagination.total as number;
}

/** Of the project alone, and of what becomes of an event: ignored ones are no part of the figures. */
async function projectTotalOf({ api, P }: Tenant): Promise<number> {
  const [all, ignored] = await Promise.all(
    ['', '&status=ignored'].map(
      async more => (await ok(api.get(`${P}/webhook-events?limit=1${more}`))).pagination.total as number,
    ),
  );
  return (all ?? 0) - (ignored ?? 0);
}

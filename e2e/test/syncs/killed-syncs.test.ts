import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { killService } from '../../system/running-system.ts';
import { newTenant, type Tenant } from '../../system/tenant.ts';
import { newAccount, runSync } from './account.ts';

/** More than a page of each type. */
const CUSTOMERS = 120;
/** The service that runs the sync, which goes on when its lease ends, and those that compare and record. */
const KILLED = ['webhooks', 'customers', 'webhooks', 'subscriptions'];

it('takes over everything once although its services are killed at random moments', async () => {
  const tenant = await newTenant();
  const { billing } = tenant;
  const account = await newAccount(tenant, CUSTOMERS);
  const { id } = await billing.syncs.create({ mode: 'apply' });
  const moments = KILLED.map(() => Math.random()).toSorted((a, b) => a - b);
  for (const [index, part] of moments.entries()) {
    await waitFor(async () => (await readOf(tenant, id)) >= part * 3 * CUSTOMERS, {
      what: `${part.toFixed(2)} of the objects to be read`,
      timeoutMs: 120_000,
    });
    await killService(KILLED[index] ?? 'webhooks');
  }
  const ended = await waitFor(
    async () => {
      const found = await billing.syncs.get(id, { maxRetries: 30 });
      return found.status === 'completed' ? found : undefined;
    },
    { what: 'the sync to complete', timeoutMs: 180_000 },
  );
  const all = { read: CUSTOMERS, total: CUSTOMERS };
  expect(ended.progress).toMatchObject({ customer: all, subscription: all, invoice: all });
  const findings = await Array.fromAsync(billing.syncs.findings(id));
  expect(findings.filter(one => !one.applied)).toEqual([]);

  const customers = await Array.fromAsync(billing.customers.list());
  expect(customers.map(one => one.processorCustomerId).toSorted()).toEqual(account.customerIds.toSorted());
  await waitFor(async () => (await billing.analytics.get()).mrr === CUSTOMERS * 1_500, { what: 'the revenue' });
  expect((await billing.analytics.get()).customerCount).toBe(CUSTOMERS);
  expect((await runSync(tenant, { mode: 'report' })).findings).toEqual([]);
}, 480_000);

/** How many objects a sync has read. */
async function readOf({ billing }: Tenant, id: string): Promise<number> {
  const { status, progress } = await billing.syncs.get(id, { maxRetries: 30 });
  if (status === 'completed') return Infinity;
  return Object.values(progress).reduce((sum, { read }) => sum + read, 0);
}

it('runs one sync of a team at a time, and stops when it is canceled', async () => {
  const tenant = await newTenant();
  const { billing } = tenant;
  await newAccount(tenant, 3);
  const { id } = await billing.syncs.create({ mode: 'apply' });
  await expect(billing.syncs.create({ mode: 'report' })).rejects.toMatchObject({ code: 'sync_running' });
  expect(await billing.syncs.cancel(id)).toMatchObject({ status: 'canceled' });
  const { findings } = await runSync(tenant, { mode: 'apply' });
  expect(findings.filter(one => !one.applied)).toEqual([]);
  expect(await billing.syncs.get(id)).toMatchObject({ status: 'canceled' });
});

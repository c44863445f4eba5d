import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { killService } from '../../system/running-system.ts';
import { newTenant } from '../../system/tenant.ts';
import { newAccount, runSync } from './account.ts';

it('takes over everything once although its services are killed meanwhile', async () => {
  const tenant = await newTenant();
  const { billing } = tenant;
  const account = await newAccount(tenant, 25);
  const { id } = await billing.syncs.create({ mode: 'apply' });
  for (const service of ['webhooks', 'customers', 'webhooks', 'subscriptions', 'webhooks']) await killService(service);
  const ended = await waitFor(
    async () => {
      const found = await billing.syncs.get(id);
      return found.status === 'completed' ? found : undefined;
    },
    { what: 'the sync to complete', timeoutMs: 180_000 },
  );
  expect(ended.progress).toMatchObject({ customer: { read: 25, total: 25 }, subscription: { read: 25, total: 25 } });
  const findings = await Array.fromAsync(billing.syncs.findings(id));
  expect(findings.filter(one => !one.applied)).toEqual([]);

  const customers = await Array.fromAsync(billing.customers.list());
  expect(customers.map(one => one.processorCustomerId).toSorted()).toEqual(account.customerIds.toSorted());
  await waitFor(async () => (await billing.analytics.get()).mrr === 25 * 1_500, { what: 'the revenue' });
  expect((await billing.analytics.get()).customerCount).toBe(25);
  expect((await runSync(tenant, { mode: 'report' })).findings).toEqual([]);
}, 300_000);

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

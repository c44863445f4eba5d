import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../../system/tenant.ts';
import { newAccount, runSync } from './account.ts';

/** Keeps a project busy until it is stopped: customers are made, changed and billed. */
function liveTraffic(tenant: Tenant, priceId: string) {
  const stopping = new AbortController();
  let rounds = 0;
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const { customerId, id, processorSubscriptionId } = await newSubscription(tenant, priceId);
      await tenant.billing.customers.update(customerId, { name: `Ada ${rounds}` });
      await tenant.processor.renew(processorSubscriptionId);
      if (rounds % 2 === 0) await tenant.billing.subscriptions.cancelAtPeriodEnd(id);
      rounds += 1;
    }
  };
  const running = run();
  return {
    rounds: () => rounds,
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

it('finds nothing that webhooks tell, and never puts an older reading above them, under live traffic', async () => {
  const tenant = await newTenant();
  const { priceId } = await newMonthlyPrice(tenant);
  const traffic = liveTraffic(tenant, priceId);
  expect((await runSync(tenant, { mode: 'report' })).findings).toEqual([]);
  await newAccount(tenant, 3);
  const before = traffic.rounds();
  await runSync(tenant, { mode: 'apply' });
  await waitFor(() => traffic.rounds() > before, { what: 'traffic during and after the sync' });
  await traffic.stop();
  expect((await runSync(tenant, { mode: 'report' })).findings).toEqual([]);
  const { items } = await tenant.billing.webhookEvents.list({ status: 'failed' }).page();
  expect(items).toEqual([]);
});

import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { drain } from '../../system/drain.ts';
import { newEmail, type Tenant } from '../../system/tenant.ts';
import { runSync } from '../syncs/account.ts';
import { newClock, openProject, sell, whenReady } from './clocks.ts';

/** Sells a price to a new customer in real time, who pays. */
async function sellInRealTime(tenant: Tenant, priceId: string) {
  const customer = await tenant.billing.customers.create({ email: newEmail() });
  await tenant.billing.customers.setTestCard(customer.id, { card: 'ok' });
  return { customer, subscription: await sell(tenant, customer.id, priceId) };
}

/** Waits until the metrics are as wanted, and returns them. */
const whenCounted = ({ billing }: Tenant, wanted: { mrr: number; customerCount: number; testClock: number }) =>
  waitFor(
    async () => {
      const metrics = await billing.analytics.get();
      const { mrr, customerCount, mrrExcluded } = metrics;
      expect({ mrr, customerCount, testClock: mrrExcluded.testClock }).toEqual(wanted);
      return metrics;
    },
    { what: 'the metrics to be as wanted' },
  );

it('changes no metric by a year on a clock, nor is what lives there missing at the processor', async () => {
  const { tenant, priceId } = await openProject();
  const { billing } = tenant;
  await sellInRealTime(tenant, priceId);
  const { clock, customer } = await newClock(tenant);
  const renewed = await sell(tenant, customer.id, priceId);
  const canceled = await sell(tenant, customer.id, priceId);
  await whenCounted(tenant, { mrr: 2_999, customerCount: 1, testClock: 2 });
  await billing.testClocks.advance(clock.id, { to: '2031-01-31T13:00:00.000Z' });
  await whenReady(tenant, clock.id);
  await billing.subscriptions.cancelNow(canceled.id);
  await drain(tenant);
  // What is counted after it shows that all of that was counted.
  await sellInRealTime(tenant, priceId);

  const metrics = await whenCounted(tenant, { mrr: 5_998, customerCount: 2, testClock: 1 });
  expect(metrics).toMatchObject({
    mrrExcluded: { tiered: 0, metered: 0, otherCurrency: 0, testClock: 1 },
    mrrByCurrency: { usd: 5_998 },
    mrrByPrice: [{ priceId, subscriptions: 2, mrr: { usd: 5_998 } }],
    churn: { active: 0, ended: 0 },
    subscriptionBreakdown: { active: 2, canceled: 0 },
  });
  expect(metrics.customerGrowth.at(-1)?.count).toBe(2);
  const { history, totals } = await billing.analytics.history();
  expect(totals).toMatchObject({ newMrr: 5_998, churnedMrr: 0, netMrr: 5_998 });
  expect(history.at(-1)).toMatchObject({ mrr: 5_998, customerCount: 2 });
  expect(await billing.analytics.cancellations()).toEqual([]);
  const left = await billing.analytics.subscriptions({ metric: 'excluded' }).page();
  expect(left.items).toMatchObject([{ subscriptionId: renewed.id, reason: 'testClock' }]);
  const ranked = await billing.analytics.customersByMrr().page();
  expect(ranked.items.map(({ customerId }) => customerId)).not.toContain(customer.id);

  expect((await runSync(tenant, { mode: 'report' })).findings).toEqual([]);
  // What the report of the night compares.
  const ofTheNight = { metadata: {}, includeUnmarked: false };
  expect((await runSync(tenant, { mode: 'report', filter: ofTheNight })).findings).toEqual([]);
});

it('leaves out a customer who comes onto a clock later, also of the days before', async () => {
  const { tenant, priceId } = await openProject();
  const { billing } = tenant;
  await sellInRealTime(tenant, priceId);
  const { customer } = await sellInRealTime(tenant, priceId);
  await whenCounted(tenant, { mrr: 5_998, customerCount: 2, testClock: 0 });

  const clock = await billing.testClocks.create({ name: 'Later', customerId: customer.id });
  await billing.testClocks.advance(clock.id, { until: 'next_invoice' });
  await whenReady(tenant, clock.id);

  await whenCounted(tenant, { mrr: 2_999, customerCount: 1, testClock: 1 });
  const { totals } = await billing.analytics.history();
  expect(totals).toMatchObject({ newMrr: 2_999, contractionMrr: 0, churnedMrr: 0, netMrr: 2_999 });
  expect((await runSync(tenant, { mode: 'report' })).findings).toEqual([]);
});

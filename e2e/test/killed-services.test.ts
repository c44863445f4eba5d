import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { killService, setService } from '../system/running-system.ts';
import {
  waitForActiveSubscription,
  newCheckout,
  newCustomer,
  newMonthlyPrice,
  newTenant,
  payOnHostedPage,
  type Tenant,
} from '../system/tenant.ts';

it('activates a subscription when the service is killed between payment and webhook', async () => {
  const tenant = await newTenant();
  const { priceId } = await newMonthlyPrice(tenant);
  const customerId = await newCustomer(tenant);
  const checkout = await newCheckout(tenant, customerId, priceId);

  await tenant.processor.setDeliveryRules({ hold: true });
  await payOnHostedPage(checkout.url);
  await killService('subscriptions');
  await tenant.processor.setDeliveryRules({ hold: false });
  await tenant.processor.release();

  expect(await waitForActiveSubscription(tenant, customerId)).toMatchObject({ status: 'active', priceId });
  expect(await completedAnalytics(tenant)).toMatchObject({ mrr: 2_999, webhookStats: { failed: 0 } });
});

it('activates a subscription when the service was down during the webhooks', async () => {
  const tenant = await newTenant();
  const { priceId } = await newMonthlyPrice(tenant);
  const customerId = await newCustomer(tenant);
  const checkout = await newCheckout(tenant, customerId, priceId);

  await setService('subscriptions', 'stop');
  try {
    await payOnHostedPage(checkout.url);
    await tenant.processor.waitForDeliveries();
  } finally {
    await setService('subscriptions', 'start');
  }

  expect(await waitForActiveSubscription(tenant, customerId)).toMatchObject({ status: 'active', priceId });
});

it.each(['gateway', 'catalog', 'customers', 'subscriptions', 'referrals', 'analytics', 'webhooks', 'portal'])(
  'loses nothing when %s is killed while the payment’s webhooks arrive',
  async service => {
    const tenant = await newTenant();
    const { billing } = tenant;
    const { priceId } = await newMonthlyPrice(tenant);
    const [referrer, referee] = [await newCustomer(tenant), await newCustomer(tenant)];
    await billing.referrals.updateConfig({ enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 0 });
    const { code } = await billing.referrals.createCode({ customerId: referrer });
    await billing.referrals.apply({ code, refereeCustomerId: referee });
    const { portalUrl } = await billing.portal.create({ customerId: referee });
    const checkout = await newCheckout(tenant, referee, priceId);

    const paying = payOnHostedPage(checkout.url);
    await killService(service);
    await paying;

    await waitForActiveSubscription(tenant, referee);
    // Events that were in flight in the killed process are redelivered to analytics later.
    const isCounted = async () => {
      const { referralStats, customerCount } = await billing.analytics.get();
      return referralStats.converted > 0 && customerCount === 2;
    };
    await waitFor(isCounted, { what: 'the conversion and both customers to be counted', timeoutMs: 60_000 });
    expect(await completedAnalytics(tenant)).toMatchObject({
      mrr: 2_999,
      customerCount: 2,
      subscriptionBreakdown: { active: 1 },
      referralStats: { totalCodes: 1, totalReferrals: 1, converted: 1 },
    });
    expect((await fetch(portalUrl)).status).toBe(200);
  },
);

/** Waits until analytics includes the subscription and every event of the project is completed. */
function completedAnalytics({ billing }: Tenant) {
  return waitFor(
    async () => {
      const metrics = await billing.analytics.get();
      const { total, processed, failed } = metrics.webhookStats;
      const { items: waiting } = await billing.webhookEvents.list({ status: 'received' }).page();
      return metrics.mrr > 0 && total > 0 && total === processed + failed && waiting.length === 0 ? metrics : undefined;
    },
    { what: 'every event to be completed', timeoutMs: 60_000, intervalMs: 100 },
  );
}

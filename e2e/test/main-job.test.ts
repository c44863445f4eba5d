import { waitFor } from '@billing/testing/wait-for';
import { expect, inject, it } from 'vitest';
import {
  waitForActiveSubscription,
  newCheckout,
  newCustomer,
  newMonthlyPrice,
  newTenant,
  payOnHostedPage,
} from '../system/tenant.ts';

it('takes a referred customer from checkout to analytics, credits and the portal', async () => {
  const tenant = await newTenant();
  const { billing } = tenant;
  const { priceId } = await newMonthlyPrice(tenant);
  const [referrer, referee] = [await newCustomer(tenant), await newCustomer(tenant)];

  const program = { enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 300 };
  await billing.referrals.updateConfig(program);
  const { code } = await billing.referrals.createCode({ customerId: referrer });
  expect(code).toMatch(/^[0-9A-Za-z]{8}$/);
  const referral = await billing.referrals.apply({ code, refereeCustomerId: referee });
  expect(referral).toMatchObject({ status: 'pending', referrerCustomerId: referrer });

  const checkout = await newCheckout(tenant, referee, priceId);
  expect(await payOnHostedPage(checkout.url)).toBe(`https://shop.example/done?session=${checkout.sessionId}`);

  const subscription = await waitForActiveSubscription(tenant, referee);
  expect(subscription).toMatchObject({ customerId: referee, priceId, quantity: 1, cancelAtPeriodEnd: false });

  const analytics = await waitFor(
    async () => {
      const metrics = await billing.analytics.get();
      const { mrr, customerCount, referralStats, webhookStats } = metrics;
      const counted = mrr === 2_999 && customerCount === 2 && referralStats.converted === 1;
      return counted && webhookStats.processed > 0 ? metrics : undefined;
    },
    { what: 'analytics to include the customers, the revenue and the conversion' },
  );
  expect(analytics).toMatchObject({
    mrrByCurrency: { usd: 2_999 },
    subscriptionBreakdown: { active: 1, canceled: 0 },
    webhookStats: { failed: 0 },
    referralStats: { totalCodes: 1, totalReferrals: 1, converted: 1 },
  });

  const { referrals } = await billing.referrals.getCode(code);
  expect(referrals).toEqual([expect.objectContaining({ id: referral.id, status: 'converted' })]);
  const credits = await waitFor(
    async () => {
      const { items } = await billing.referrals.listCredits({ status: 'credited' }).page();
      return items.length === 2 ? items : undefined;
    },
    { what: 'both credits at the processor' },
  );
  expect(Object.fromEntries(credits.map(({ side, amount }) => [side, amount]))).toEqual({
    referee: 300,
    referrer: 500,
  });

  const { portalUrl } = await billing.portal.create({ customerId: referee });
  expect(portalUrl.startsWith(`${inject('gatewayUrl')}/portal/`)).toBe(true);
  const page = await fetch(portalUrl);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('Pro');
});

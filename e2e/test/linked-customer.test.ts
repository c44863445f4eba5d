import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { newCustomer, newEmail, newMonthlyPrice, newTenant, type Tenant } from '../system/tenant.ts';

/** Creates a customer with a subscription at the processor, before anyone links it here. */
async function billAtProcessor({ callProcessor }: Tenant, email: string, processorPriceId: string) {
  const { id: customer } = await callProcessor('/v1/customers', {
    email,
    payment_method: 'pm_card_visa',
  });
  const { data } = await callProcessor(`/v1/payment_methods?customer=${customer}`);
  await callProcessor('/v1/subscriptions', {
    customer,
    default_payment_method: data[0].id,
    'items[0][price]': processorPriceId,
  });
  return customer as string;
}

it('knows what a linked customer was billed before from the first moment, and after it is created again', async () => {
  const tenant = await newTenant();
  const { billing } = tenant;
  const { priceId } = await newMonthlyPrice(tenant);
  const { processorPriceId } = await billing.prices.get(priceId);
  const referrer = await newCustomer(tenant);
  await billing.referrals.updateConfig({ enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 300 });
  const { code } = await billing.referrals.createCode({ customerId: referrer });
  const email = `Ada.${newEmail()}`;
  const processorCustomerId = await billAtProcessor(tenant, email, processorPriceId);

  const expectBilling = async (customerId: string) => {
    const { items } = await billing.subscriptions.list({ customerId }).page();
    expect(items).toMatchObject([{ customerId, priceId, status: 'active' }]);
    expect((await billing.invoices.list({ customerId }).page()).items).toMatchObject([{ status: 'paid' }]);
    await expect(billing.referrals.apply({ code, refereeCustomerId: customerId })).rejects.toMatchObject({
      code: 'referral_already_subscribed',
    });
    const { portalUrl } = await billing.portal.create({ customerId });
    expect(await (await fetch(portalUrl)).text()).toContain('Pro');
  };
  const customer = await billing.customers.create({ email });
  expect(customer).toMatchObject({ email: email.toLowerCase(), processorCustomerId });
  await expectBilling(customer.id);

  await billing.customers.delete(customer.id);
  const again = await billing.customers.create({ email });
  expect(again).toMatchObject({ processorCustomerId });
  await expectBilling(again.id);
  const { items: former } = await billing.subscriptions.list({ customerId: customer.id, activeOnly: false }).page();
  expect(former).toEqual([]);

  await waitFor(async () => (await billing.analytics.get()).mrr === 2_999, { what: 'the revenue' });
  const { referralStats, subscriptionBreakdown } = await billing.analytics.get();
  expect(referralStats.converted).toBe(0);
  expect(subscriptionBreakdown.active).toBe(1);
});

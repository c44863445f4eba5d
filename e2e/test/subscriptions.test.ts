import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, expect, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { errorOf, ok } from '../system/http.ts';
import {
  newCustomer,
  newMonthlyPrice,
  newSubscription,
  newTenant,
  payOnHostedPage,
  waitForActiveSubscription,
  type Tenant,
} from '../system/tenant.ts';

// What takes several services. What one of them does alone is tested there.

let tenant: Tenant;
let priceId: string;
beforeAll(async () => {
  tenant = await newTenant();
  ({ priceId } = await newMonthlyPrice(tenant));
});

const urls = {
  successUrl: 'https://shop.example/done?s={CHECKOUT_SESSION_ID}&x=%20',
  cancelUrl: 'https://shop.example/',
};

it('is bought with all options right after its customer and price were created', async () => {
  const { billing, callProcessor, teamId, projectId } = tenant;
  const [price, customerId] = await Promise.all([newMonthlyPrice(tenant), newCustomer(tenant)]);
  const request = {
    customerId,
    priceId: price.priceId,
    quantity: 3,
    trialDays: 14,
    metadata: { ref: '4711' },
    ...urls,
  };
  const { sessionId, url } = await billing.checkout.create(request);
  const session = await callProcessor(`/v1/checkout/sessions/${sessionId}?expand[]=line_items`);
  expect(session).toMatchObject({
    mode: 'subscription',
    url,
    customer: (await billing.customers.get(customerId)).processorCustomerId,
    success_url: urls.successUrl,
    metadata: { ref: '4711', teamId, projectId, customerId, priceId: price.priceId },
    line_items: {
      data: [{ quantity: 3, price: { id: (await billing.prices.get(price.priceId)).processorPriceId } }],
    },
  });
  const readState = (waitMs: number) => billing.states.get(customerId, { checkoutSession: sessionId, waitMs });
  // Longer than the gateway keeps an unused connection to a service.
  expect(await readState(1_000)).toMatchObject({ checkout: { status: 'open' }, pendingCheckouts: [{ sessionId }] });
  expect(await payOnHostedPage(url)).toBe(`https://shop.example/done?s=${sessionId}&x=%20`);
  expect(await readState(10_000)).toMatchObject({
    checkout: { status: 'complete' },
    subscriptions: [{ status: 'trialing', quantity: 3, grants: true }],
    pendingCheckouts: [],
  });
});

it('is canceled at the period’s end, resumed, and ends with the period', async () => {
  const { billing, processor, callProcessor } = tenant;
  const { id, processorSubscriptionId } = await newSubscription(tenant, priceId);
  const readAtProcessor = () => callProcessor(`/v1/subscriptions/${processorSubscriptionId}`);

  expect(await billing.subscriptions.cancelAtPeriodEnd(id)).toMatchObject({
    status: 'active',
    cancelAtPeriodEnd: true,
  });
  expect(await readAtProcessor()).toMatchObject({ cancel_at_period_end: true, status: 'active' });
  expect(await billing.subscriptions.resume(id)).toMatchObject({ status: 'active', cancelAtPeriodEnd: false });
  expect(await readAtProcessor()).toMatchObject({ cancel_at_period_end: false });
  // A second cancellation is a new request, not a replay of the first one.
  expect(await billing.subscriptions.cancelAtPeriodEnd(id)).toMatchObject({ cancelAtPeriodEnd: true });
  expect(await readAtProcessor()).toMatchObject({ cancel_at_period_end: true });

  await processor.end(processorSubscriptionId);
  const hasEnded = async () => (await billing.subscriptions.get(id)).status === 'canceled';
  await waitFor(hasEnded, { what: 'the subscription to be canceled' });
});

it('is canceled at once, and then rejects changes', async () => {
  const { api, P, billing, callProcessor } = tenant;
  const { id, processorSubscriptionId } = await newSubscription(tenant, priceId);
  expect(await ok(api.delete(`${P}/subscriptions/${id}`))).toEqual({
    subscription: { id, status: 'canceled', cancelAtPeriodEnd: false },
    invoices: [],
  });
  expect(await callProcessor(`/v1/subscriptions/${processorSubscriptionId}`)).toMatchObject({ status: 'canceled' });
  expect(await errorOf(billing.subscriptions.resume(id))).toMatchObject({ status: 422, code: 'subscription_ended' });
});

it('outlives its price, which is sold no more', async () => {
  const { billing, callProcessor } = tenant;
  const sold = await newMonthlyPrice(tenant);
  const { processorPriceId } = await billing.prices.get(sold.priceId);
  const { id, customerId } = await newSubscription(tenant, sold.priceId);
  await drain(tenant);
  const readRevenue = async () => (await billing.analytics.customers([customerId]))[0]?.mrr[0]?.amount;
  await waitFor(async () => (await readRevenue()) === '2999', { what: 'the revenue of the subscription' });

  await billing.prices.delete(sold.priceId);
  await drain(tenant);
  expect(await callProcessor(`/v1/prices/${processorPriceId}`)).toMatchObject({ active: false });
  expect(await waitForActiveSubscription(tenant, customerId)).toMatchObject({ id, priceId: sold.priceId });
  expect(await readRevenue()).toBe('2999');
  const buying = billing.checkout.create({ customerId, priceId: sold.priceId, ...urls });
  expect(await errorOf(buying)).toMatchObject({ status: 404, code: 'price_not_found' });
});

it('is not sold of an inactive product or price', async () => {
  const { billing } = tenant;
  const { productId, priceId: ofProduct } = await newMonthlyPrice(tenant);
  const customerId = await newCustomer(tenant);
  const buying = () => billing.checkout.create({ customerId, priceId: ofProduct, ...urls });
  await billing.products.update(productId, { isActive: false });
  expect(await errorOf(buying())).toMatchObject({ status: 422, code: 'product_inactive' });
  await billing.products.update(productId, { isActive: true });
  await billing.prices.update(ofProduct, { isActive: false });
  expect(await errorOf(buying())).toMatchObject({ status: 422, code: 'price_inactive' });
});

it('has an invoice, and events that analytics counts', async () => {
  const other = await newTenant();
  const { billing, teamId, projectId } = other;
  const { id, customerId } = await newSubscription(other, (await newMonthlyPrice(other)).priceId);
  const paid = async () => (await billing.invoices.list({ customerId, status: 'paid' }).page()).items[0];
  expect(await waitFor(paid, { what: 'the invoice to be paid' })).toMatchObject({
    id: expect.stringMatching(/^pinv_/),
    subscriptionId: id,
    amountDue: 2_999,
    amountPaid: 2_999,
    amountRemaining: 0,
    currency: 'usd',
    projectId,
  });
  await drain(other);
  const events = await Array.fromAsync(billing.webhookEvents.list({ status: 'processed' }));
  expect(events.length).toBeGreaterThan(5);
  expect(events.every(event => event.teamId === teamId && event.projectId === projectId)).toBe(true);
  const { webhookStats } = await billing.analytics.get();
  expect(webhookStats).toEqual({ total: events.length, processed: events.length, failed: 0 });
});

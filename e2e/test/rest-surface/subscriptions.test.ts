import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, expect, it } from 'vitest';
import { drain } from '../../system/drain.ts';
import { errorOf, ok } from '../../system/http.ts';
import { newMonthlyPrice, newSubscription, newTenant, type Tenant } from '../../system/tenant.ts';

let tenant: Tenant;
let priceId: string;
beforeAll(async () => {
  tenant = await newTenant();
  ({ priceId } = await newMonthlyPrice(tenant));
});

it('lists active subscriptions by default, and filters by customer', async () => {
  const { billing, api, P } = tenant;
  const [active, ended] = [await newSubscription(tenant, priceId), await newSubscription(tenant, priceId)];
  await billing.subscriptions.cancelNow(ended.id);
  const idsOf = async (filters: Parameters<typeof billing.subscriptions.list>[0]) =>
    (await Array.fromAsync(billing.subscriptions.list(filters))).map(({ id }) => id);

  expect(await idsOf({})).toContain(active.id);
  expect(await idsOf({})).not.toContain(ended.id);
  expect(await idsOf({ customerId: ended.customerId })).toEqual([]);
  expect(await idsOf({ customerId: ended.customerId, activeOnly: false })).toEqual([ended.id]);
  const { subscription } = await ok(api.get(`${P}/subscriptions/${active.id}`));
  expect(subscription).toEqual(active);
  expect(await errorOf(billing.subscriptions.get('ps_00000000000000000000'))).toMatchObject({
    status: 404,
    code: 'subscription_not_found',
  });
});

it('cancels at period end, resumes, and ends with the period', async () => {
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
  await waitFor(async () => (await billing.subscriptions.get(id)).status === 'canceled', {
    what: 'the subscription to be canceled',
  });
});

it('cancels immediately, and rejects changes of an ended subscription', async () => {
  const { api, P, billing, callProcessor } = tenant;
  const { id, processorSubscriptionId } = await newSubscription(tenant, priceId);
  expect(await ok(api.delete(`${P}/subscriptions/${id}`))).toEqual({
    subscription: { id, status: 'canceled', cancelAtPeriodEnd: false },
  });
  expect(await callProcessor(`/v1/subscriptions/${processorSubscriptionId}`)).toMatchObject({ status: 'canceled' });
  const ended = { status: 422, code: 'subscription_ended' };
  expect(await errorOf(billing.subscriptions.cancelNow(id))).toMatchObject(ended);
  expect(await errorOf(billing.subscriptions.cancelAtPeriodEnd(id))).toMatchObject(ended);
  expect(await errorOf(billing.subscriptions.resume(id))).toMatchObject(ended);
});

it('lists the invoices of a customer and of a subscription', async () => {
  const { billing, projectId } = tenant;
  const { id, customerId } = await newSubscription(tenant, priceId);
  const [invoice] = await waitFor(
    async () => {
      const { items } = await billing.invoices.list({ customerId, status: 'paid' }).page();
      return items.length > 0 ? items : undefined;
    },
    { what: 'the invoice to be paid' },
  );
  expect(invoice).toMatchObject({
    id: expect.stringMatching(/^pinv_/),
    subscriptionId: id,
    amountDue: 2_999,
    amountPaid: 2_999,
    amountRemaining: 0,
    currency: 'usd',
    projectId,
  });
  const idsOf = async (filters: Parameters<typeof billing.invoices.list>[0]) =>
    (await Array.fromAsync(billing.invoices.list(filters))).map(listed => listed.id);
  expect(await idsOf({ subscriptionId: id })).toEqual([invoice?.id]);
  expect(await idsOf({ subscriptionId: id, status: 'open' })).toEqual([]);
});

it('lists webhook events with their outcome, and counts them in analytics', async () => {
  const { billing, teamId, projectId } = tenant;
  await newSubscription(tenant, priceId);
  await drain(tenant);
  const events = await Array.fromAsync(billing.webhookEvents.list({ status: 'processed' }));
  expect(events.length).toBeGreaterThan(5);
  expect(events.every(event => event.teamId === teamId && event.projectId === projectId)).toBe(true);
  const created = await Array.fromAsync(billing.webhookEvents.list({ type: 'customer.subscription.created' }));
  expect(new Set(created.map(({ type }) => type))).toEqual(new Set(['customer.subscription.created']));
  const { webhookStats } = await billing.analytics.get();
  expect(webhookStats).toEqual({ total: events.length, processed: events.length, failed: 0 });
});

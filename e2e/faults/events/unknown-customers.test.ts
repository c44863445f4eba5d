import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newEmail, type Tenant } from '../../system/tenant.ts';
import { expectInvariants } from '../invariants/expect-invariants.ts';
import { readWebhookEvents } from '../invariants/snapshot.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { newProcessorId, subscriptionEvent, type SubscriptionState } from '../system/webhook-events.ts';
import { postEvent } from '../system/sender.ts';
import { holdDeliveries, newBuyer, parseEvent, readStripeEvents, RECONCILER_OFF } from './history.ts';

/** Routing is tried three times: at once and after each of two pauses. */
const ROUTING = { ROUTING_PAUSES_SECONDS: '0.3,0.3' };

let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem({ env: { webhooks: { ...RECONCILER_OFF, ...ROUTING } } });
});
afterAll(() => system?.[Symbol.asyncDispose]());

const newTenant = async () => holdDeliveries(await system.newTenant());
const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds;

/** Returns a subscription whose metadata names `projectId`. */
const newSubscription = (customer: string, projectId: string): SubscriptionState => ({
  id: newProcessorId('sub'),
  customer,
  projectId,
  status: 'active',
  quantity: 1,
  startedAt: secondsAgo(60),
});

it.concurrent('processes events of a customer whose creation is still in progress', async context => {
  const tenant = await newTenant();
  const email = newEmail();
  const customers = { path: '/v1/customers', method: 'POST' } as const;
  // The first response is lost after the customer was created; the retry is slow.
  await tenant.processor.fail({ ...customers, mode: 'done-but-response-lost', times: 1 });
  await tenant.processor.fail({ ...customers, mode: 'slow', delayMs: 4_000, times: 1 });
  const creating = tenant.billing.customers.create({ email, name: 'Grace' });

  const processorCustomerId = await waitFor<string>(
    async () => (await tenant.callProcessor(`/v1/customers?email=${encodeURIComponent(email)}`)).data[0]?.id,
    { what: 'the customer at the processor' },
  );
  const subscription = subscriptionEvent(
    'created',
    newSubscription(processorCustomerId, tenant.projectId),
    secondsAgo(5),
  );
  const customerEvents = (await readStripeEvents(tenant)).filter(
    event => parseEvent(event).data.object.id === processorCustomerId,
  );
  const events = [...customerEvents, subscription];
  for (const event of events) await postEvent(system.gatewayUrl, tenant, event);

  const customer = await creating;
  expect(customer).toMatchObject({ email, processorCustomerId });
  expect(events.map(({ type }) => type)).toEqual(['customer.created', 'customer.subscription.created']);
  await expectInvariants(context, tenant, events);
  const { items } = await tenant.billing.subscriptions.list({ customerId: customer.id }).page();
  expect(items).toMatchObject([{ processorSubscriptionId: JSON.parse(subscription.body).data.object.id }]);
});

it.concurrent('ignores an event of an unknown customer until the customer is created', async context => {
  const tenant = await newTenant();
  // Created at the Stripe dashboard: nothing names a project.
  const stranger = await tenant.callProcessor('/v1/customers', { email: newEmail() });
  const event = subscriptionEvent('created', newSubscription(stranger.id, 'none'), secondsAgo(5));
  for (let copy = 0; copy < 3; copy += 1) await postEvent(system.gatewayUrl, tenant, event);

  const ignored = await waitForSingleRecord(tenant, event.id, 'ignored');
  expect(ignored).toMatchObject({ projectId: null, attempts: 3, error: 'foreign' });
  expect(await tenant.billing.subscriptions.list({ activeOnly: false }).page()).toMatchObject({ items: [] });
  // The event belongs to no project: no metric counts it and no API key can read it.
  expect(await tenant.billing.analytics.get()).toMatchObject({ webhookStats: { total: 0, failed: 0 } });
  expect(await tenant.billing.webhookEvents.list().page()).toMatchObject({ items: [] });

  const customer = await tenant.billing.customers.create({ email: stranger.email });
  expect(customer.processorCustomerId).toBe(stranger.id);
  expect(await waitForSingleRecord(tenant, event.id, 'processed')).toMatchObject({ projectId: tenant.projectId });
  await expectInvariants(context, tenant, [event]);
  expect(await tenant.billing.analytics.get()).toMatchObject({ webhookStats: { total: 1, processed: 1, failed: 0 } });
});

it.concurrent('fails an event that names the project but an unknown customer', async context => {
  const tenant = await newTenant();
  const unknown = subscriptionEvent('created', newSubscription(newProcessorId('cus'), tenant.projectId), secondsAgo(5));
  for (let copy = 0; copy < 3; copy += 1) await postEvent(system.gatewayUrl, tenant, unknown);
  // Retried eight times with back-off, because the customer may still be created.
  await expectInvariants(context, tenant, [unknown], { poisoned: new Set([unknown.id]) });
  expect(await tenant.billing.analytics.get()).toMatchObject({ webhookStats: { total: 1, processed: 0, failed: 1 } });
});

it.concurrent('never routes an event to a project of another team', async context => {
  const [tenant, other] = await Promise.all([newTenant(), newTenant()]);
  const buyer = await newBuyer(tenant);
  const otherBuyer = await newBuyer(other);
  const ownCustomer = subscriptionEvent(
    'created',
    newSubscription(buyer.processorCustomerId, other.projectId),
    secondsAgo(5),
  );
  // This customer exists only in the other team's account.
  const foreignCustomer = subscriptionEvent(
    'created',
    newSubscription(otherBuyer.processorCustomerId, other.projectId),
    secondsAgo(5),
  );
  for (const event of [ownCustomer, foreignCustomer]) await postEvent(system.gatewayUrl, tenant, event);

  expect(await waitForSingleRecord(tenant, ownCustomer.id, 'processed')).toMatchObject({ projectId: tenant.projectId });
  const ignored = { projectId: null, error: 'foreign' };
  expect(await waitForSingleRecord(tenant, foreignCustomer.id, 'ignored')).toMatchObject(ignored);
  const canaries = [other.teamId, other.projectId, otherBuyer.customerId, otherBuyer.processorCustomerId];
  await expectInvariants(context, tenant, [ownCustomer, foreignCustomer], {
    foreign: new Set([foreignCustomer.id]),
    canaries,
  });
  await expectInvariants(context, other, [], {
    canaries: [tenant.teamId, tenant.projectId, ownCustomer.id, foreignCustomer.id],
  });
});

/** Waits until an event has exactly one record, with this status. */
function waitForSingleRecord(tenant: Tenant, id: string, status: string) {
  return waitFor(
    async () => {
      const records = (await readWebhookEvents(tenant)).filter(event => event.id === id);
      return records.length === 1 && records[0]?.status === status ? records[0] : undefined;
    },
    { what: `the event ${id} to be ${status}`, intervalMs: 100 },
  );
}

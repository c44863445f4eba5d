import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ok } from '../../system/http.ts';
import { newEmail, type Tenant } from '../../system/tenant.ts';
import { readEvents } from '../invariants/shown.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { newProcessorId, subscriptionEvent, type SubscriptionState } from '../system/processor-events.ts';
import { postEvent } from '../system/sender.ts';
import { holdDeliveries, newBuyer, readTold, toldSoFar, WITHOUT_HEALING } from './history.ts';
import { expectPromisesKept } from './kept-promises.ts';

/** A project is looked for at once and twice more. */
const ROUTING = { ROUTING_PAUSES_SECONDS: '0.3,0.3' };

let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem({ env: { webhooks: { ...WITHOUT_HEALING, ...ROUTING } } });
});
afterAll(() => system?.[Symbol.asyncDispose]());

const newTenant = async () => holdDeliveries(await system.newTenant());
const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds;

/** A subscription of a customer of the processor, whose metadata names `projectId`. */
const newSubscription = (customer: string, projectId: string): SubscriptionState => ({
  id: newProcessorId('sub'),
  customer,
  projectId,
  status: 'active',
  quantity: 1,
  startedAt: secondsAgo(60),
});

it.concurrent('processes what is said of a customer before the request that made the customer is answered', async context => {
  const tenant = await newTenant();
  const email = newEmail();
  const customers = { path: '/v1/customers', method: 'POST' } as const;
  // The customer is made, and the service hears of it only when its second try is answered.
  await tenant.processor.fail({ ...customers, mode: 'done-but-answer-lost', times: 1 });
  await tenant.processor.fail({ ...customers, mode: 'slow', delayMs: 4_000, times: 1 });
  const creating = tenant.billing.customers.create({ email, name: 'Grace' });

  const processorCustomerId = await waitFor<string>(
    async () => (await tenant.askProcessor(`/v1/customers?email=${encodeURIComponent(email)}`)).data[0]?.id,
    { what: 'the customer to be made at the processor', timeoutMs: 30_000 },
  );
  const subscription = subscriptionEvent(
    'created',
    newSubscription(processorCustomerId, tenant.projectId),
    secondsAgo(5),
  );
  const told = (await toldSoFar(tenant)).filter(event => readTold(event).data.object.id === processorCustomerId);
  const events = [...told, subscription];
  for (const event of events) await postEvent(system.gatewayUrl, tenant, event);

  const customer = await creating;
  expect(customer).toMatchObject({ email, processorCustomerId });
  expect(events.map(({ type }) => type)).toEqual(['customer.created', 'customer.subscription.created']);
  await expectPromisesKept(context, tenant, events);
  const { items } = await tenant.billing.subscriptions.list({ customerId: customer.id }).page();
  expect(items).toMatchObject([{ processorSubscriptionId: JSON.parse(subscription.body).data.object.id }]);
});

it.concurrent('fails what is said of a customer that nobody created, once, and processes it when asked to after the creation', async context => {
  const tenant = await newTenant();
  // Made at the processor's dashboard: nothing names a project.
  const stranger = await tenant.askProcessor('/v1/customers', { email: newEmail() });
  const event = subscriptionEvent('created', newSubscription(stranger.id, 'none'), secondsAgo(5));
  for (let copy = 0; copy < 3; copy += 1) await postEvent(system.gatewayUrl, tenant, event);

  const failed = await recordOnce(tenant, event.id, 'failed');
  expect(failed).toMatchObject({ projectId: null, attempts: 3, error: expect.stringMatching(/^unroutable/) });
  expect(await tenant.billing.subscriptions.list({ activeOnly: false }).page()).toMatchObject({ items: [] });
  // It is no project's, so that it stands in no project's figures and no API key sees it.
  expect(await tenant.billing.analytics.get()).toMatchObject({ webhookStats: { total: 0, failed: 0 } });
  expect(await tenant.billing.webhookEvents.list().page()).toMatchObject({ items: [] });

  const customer = await tenant.billing.customers.create({ email: stranger.email });
  expect(customer.processorCustomerId).toBe(stranger.id);
  await waitFor(
    async () => (await ok(tenant.user.post(`${tenant.P}/webhook-events/${event.id}/replay`))).webhookEvent,
    {
      what: 'the event to be replayed',
    },
  );
  expect(await recordOnce(tenant, event.id, 'processed')).toMatchObject({ projectId: tenant.projectId });
  await expectPromisesKept(context, tenant, [event]);
  expect(await tenant.billing.analytics.get()).toMatchObject({ webhookStats: { total: 1, processed: 1, failed: 0 } });
});

it.concurrent('fails at last, and once, what names the project and a customer that nobody knows', async context => {
  const tenant = await newTenant();
  const unknown = subscriptionEvent('created', newSubscription(newProcessorId('cus'), tenant.projectId), secondsAgo(5));
  for (let copy = 0; copy < 3; copy += 1) await postEvent(system.gatewayUrl, tenant, unknown);
  // Its owner tries eight times with growing pauses: the customer may be on its way.
  await expectPromisesKept(context, tenant, [unknown], { poisoned: new Set([unknown.id]) });
  expect(await tenant.billing.analytics.get()).toMatchObject({ webhookStats: { total: 1, processed: 0, failed: 1 } });
});

it.concurrent('never takes an event to a project of another team, whatever the event says', async context => {
  const [tenant, other] = await Promise.all([newTenant(), newTenant()]);
  const buyer = await newBuyer(tenant);
  const othersBuyer = await newBuyer(other);
  const known = subscriptionEvent(
    'created',
    newSubscription(buyer.processorCustomerId, other.projectId),
    secondsAgo(5),
  );
  // The other team's customer is not one of this team's account.
  const foreign = subscriptionEvent(
    'created',
    newSubscription(othersBuyer.processorCustomerId, other.projectId),
    secondsAgo(5),
  );
  for (const event of [known, foreign]) await postEvent(system.gatewayUrl, tenant, event);

  expect(await recordOnce(tenant, known.id, 'processed')).toMatchObject({ projectId: tenant.projectId });
  expect(await recordOnce(tenant, foreign.id, 'failed')).toMatchObject({ projectId: null });
  const canaries = [other.teamId, other.projectId, othersBuyer.customerId, othersBuyer.processorCustomerId];
  await expectPromisesKept(context, tenant, [known, foreign], { poisoned: new Set([foreign.id]), canaries });
  await expectPromisesKept(context, other, [], { canaries: [tenant.teamId, tenant.projectId, known.id, foreign.id] });
});

/** The only record of an event, once it has a status. */
function recordOnce(tenant: Tenant, id: string, status: string) {
  return waitFor(
    async () => {
      const records = (await readEvents(tenant)).filter(event => event.id === id);
      return records.length === 1 && records[0]?.status === status ? records[0] : undefined;
    },
    { what: `the event ${id} to be ${status}`, timeoutMs: 60_000, intervalMs: 100 },
  );
}

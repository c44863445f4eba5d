import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CustomerState } from '@billing/contracts/events/customers';
import { CustomerCreated } from '@billing/contracts/events/customers';
import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import type { Envelope } from '@billing/contracts/event';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { CustomerId, ProjectId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { deliveredAgain, routedEvent } from '@billing/testing/processor-events';
import { portalSetupMetadata } from '@billing/processor/metadata';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import { readCheckoutSession } from '@billing/processor/snapshots/checkout-session';
import { applyCheckoutEvents, prepareCheckoutEvent } from '../src/checkout/apply-checkout-events.ts';
import { CheckoutSession } from '../src/checkout/checkout-session.entity.ts';
import { objectOf, startService, type Service } from './service.ts';

const URLS = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

/** The newest event of a type that is about the customer. */
async function newestEvent(type: ProcessorEventType, { processorCustomerId }: CustomerState): Promise<Envelope> {
  const events = await service.account.events(service.scope, type);
  const found = events.findLast(event => objectOf(event)['customer'] === processorCustomerId);
  if (!found) throw new Error(`There was no ${type}.`);
  return found;
}

async function startCheckout(customer: CustomerState, { recurring = true } = {}): Promise<string> {
  const { price } = await service.createPrice({ recurring });
  const mode = recurring ? 'subscription' : 'payment';
  const body = { customerId: customer.id, priceId: price.id, mode, ...URLS };
  const { body: session } = await service.call('POST', '/checkout', { body });
  return session.sessionId;
}

async function buy(customer: CustomerState, options: { recurring?: boolean } = {}): Promise<string> {
  const sessionId = await startCheckout(customer, options);
  await service.control.checkout(sessionId);
  return sessionId;
}

/** No request shows the state of a checkout. */
const stateOf = async (processorSessionId: string) =>
  (await service.em.fork().findOneOrFail(CheckoutSession, { processorSessionId })).state;
const subscriptionsOf = async ({ id }: CustomerState): Promise<Record<string, unknown>[]> =>
  (await service.call('GET', `/subscriptions?customerId=${id}`)).body.subscriptions;

describe('a completed checkout', () => {
  it('records the subscription even if no other event arrives', async () => {
    const customer = await service.createCustomer();
    const sessionId = await buy(customer);
    await service.deliver(await newestEvent('checkout.session.completed', customer));
    expect(await subscriptionsOf(customer)).toMatchObject([{ status: 'active', customerId: customer.id }]);
    expect(await stateOf(sessionId)).toBe('complete');
    await service.deliver(await newestEvent('customer.subscription.created', customer));
    const published = await service.published(SubscriptionCreated);
    expect(published.filter(({ data }) => data.customerId === customer.id)).toHaveLength(1);
  });

  it('records the subscription once when its own event arrives at the same time', async () => {
    const customer = await service.createCustomer();
    await buy(customer);
    await service.deliver(
      await newestEvent('checkout.session.completed', customer),
      await newestEvent('customer.subscription.created', customer),
    );
    expect(await subscriptionsOf(customer)).toHaveLength(1);
    const published = await service.published(SubscriptionCreated);
    expect(published.filter(({ data }) => data.customerId === customer.id)).toHaveLength(1);
  });

  it('records the subscription once when several of its events were prepared', async () => {
    const customer = await service.createCustomer();
    await buy(customer);
    const session = readCheckoutSession(objectOf(await newestEvent('checkout.session.completed', customer)));
    const source = { at: new Date(), cause: CAUSED_BY_SYSTEM };
    const event = { scope: service.scope, session, outcome: 'complete', source } as const;
    const prepared = await prepareCheckoutEvent(service)({ ...event, prepared: undefined });
    expect(prepared.subscription?.version).toBeNull();
    const events = [1, 2].map(() => ({ ...event, prepared }));
    // Without consumers: they would handle the events of a batch that fails one by one.
    const apply = () => service.outbox.transaction((tx, publish) => applyCheckoutEvents(service)(tx, events, publish));
    expect(await apply()).toEqual([]);
    expect(await apply()).toEqual([]);
    expect(await subscriptionsOf(customer)).toHaveLength(1);
    const published = await service.published(SubscriptionCreated);
    expect(published.filter(({ data }) => data.customerId === customer.id)).toHaveLength(1);
  });

  it('waits while the processor is unavailable', async () => {
    const customer = await service.createCustomer();
    await buy(customer);
    const completed = await newestEvent('checkout.session.completed', customer);
    await service.control.fail({ path: '/v1/subscriptions', mode: '429', times: 3 });
    expect(await service.deliverOnce('subscriptions-checkouts', completed, 1)).toBe('redeliver');
    expect(await service.deliverOnce('subscriptions-checkouts', completed, 2)).toBe('ack');
    expect(await subscriptionsOf(customer)).toHaveLength(1);
  });

  it('records no subscription in payment mode', async () => {
    const customer = await service.createCustomer();
    const sessionId = await buy(customer, { recurring: false });
    await service.deliver(await newestEvent('checkout.session.completed', customer));
    expect(await subscriptionsOf(customer)).toEqual([]);
    expect(await stateOf(sessionId)).toBe('complete');
  });
});

it('uses the newest saved payment method for every running subscription', async () => {
  const customer = await service.createCustomer();
  await service.deliver(newEvent(CustomerCreated, service.scope.teamId, customer));
  await buy(customer);
  await buy(customer);
  const { processorCustomerId: customerId } = customer;
  const savePaymentMethod = async (key: string) => {
    const metadata = portalSetupMetadata(service.scope, customer.id);
    const { id } = await service.processor.createSetupSession({ customerId, currency: 'usd', ...URLS, metadata }, key);
    await service.control.checkout(id);
    return newestEvent('checkout.session.completed', customer);
  };
  const methodsInUse = async () => {
    const found = await service.processor.findCustomer(customerId);
    const subscriptions = await service.processor.listSubscriptions(customerId);
    const own = subscriptions.map(one => one.defaultPaymentMethodId);
    return [...new Set([found.deleted ? null : found.defaultPaymentMethodId, ...own])];
  };
  const before = await methodsInUse();
  await service.deliver(await savePaymentMethod('setup-1'));
  const replaced = await methodsInUse();
  expect(replaced).toEqual([expect.stringMatching(/^pm_/)]);
  expect(before).not.toContain(replaced[0]);

  const late = await savePaymentMethod('setup-2');
  await service.control.advanceClock(60);
  const newest = await savePaymentMethod('setup-3');
  await service.deliver(newest);
  const last = await methodsInUse();
  expect(last).toEqual([expect.stringMatching(/^pm_/)]);
  expect(last).not.toEqual(replaced);
  await service.deliver(late);
  await service.deliver(deliveredAgain(newest));
  expect(await methodsInUse()).toEqual(last);
});

it.each([
  ['refuses it', '400', 'ack'],
  ['fails', '500', 'redeliver'],
] as const)('uses a saved payment method although one subscription %s, and names it', async (_case, mode, outcome) => {
  const customer = await service.createCustomer();
  await service.deliver(newEvent(CustomerCreated, service.scope.teamId, customer));
  for (let count = 0; count < 3; count += 1) await buy(customer);
  const { processorCustomerId: customerId } = customer;
  for (const event of await service.account.events(service.scope, 'customer.subscription.created'))
    if (objectOf(event)['customer'] === customerId) await service.deliver(event);
  const metadata = portalSetupMetadata(service.scope, customer.id);
  const setup = await service.processor.createSetupSession({ customerId, currency: 'usd', ...URLS, metadata }, mode);
  await service.control.checkout(setup.id);
  const event = await newestEvent('checkout.session.completed', customer);
  const [, refusing] = await service.processor.listSubscriptions(customerId);
  const path = `/v1/subscriptions/${refusing?.id}`;
  await service.control.fail({ method: 'POST', path, mode, times: 9, kept: false });
  expect(await service.deliverOnce('subscriptions-checkouts', event)).toBe(outcome);
  await service.control.clearFaults();

  const inUse = async () => {
    const found = await service.processor.findCustomer(customerId);
    const wanted = found.deleted ? null : found.defaultPaymentMethodId;
    const all = await service.processor.listSubscriptions(customerId);
    return all.flatMap(({ id, defaultPaymentMethodId: own }) => (own === wanted ? [id] : []));
  };
  const refusals = async () =>
    (await subscriptionsOf(customer)).flatMap(({ processorSubscriptionId: id, refusedPaymentMethod: refused }) =>
      refused ? [[id, refused]] : [],
    );
  expect(await inUse()).toHaveLength(2);
  const refusal = { message: expect.stringContaining('refused'), at: expect.any(String) };
  expect(await refusals()).toEqual(mode === '400' ? [[refusing?.id, refusal]] : []);

  // The team has changed another one meanwhile: a repeat completes only what is missing.
  const [other] = await inUse();
  const card = await service.account.dashboard.paymentMethods.attach('pm_card_mastercard', { customer: customerId });
  await service.account.dashboard.subscriptions.update(other ?? '', { default_payment_method: card.id });
  await service.deliver(deliveredAgain(event));
  expect(await inUse()).toEqual(expect.arrayContaining([refusing?.id]));
  expect(await inUse()).not.toContain(other);
  expect(await refusals()).toEqual([]);
});

it('uses a saved payment method also for the oldest of more than a hundred subscriptions', async () => {
  const customer = await service.createCustomer();
  await service.deliver(newEvent(CustomerCreated, service.scope.teamId, customer));
  await buy(customer);
  const { processorCustomerId: customerId } = customer;
  const [oldest] = await service.processor.listSubscriptions(customerId);
  const { price } = await service.createPrice();
  const { url, secretKey } = service.account;
  const body = {
    customer: customerId,
    'items[0][price]': price.processorPriceId,
    default_payment_method: String(oldest?.defaultPaymentMethodId),
  };
  for (let count = 0; count < 100; count += 1) {
    const headers = { authorization: `Bearer ${secretKey}` };
    await fetch(`${url}/v1/subscriptions`, { method: 'POST', headers, body: new URLSearchParams(body) });
  }
  const setup = { customerId, currency: 'usd', ...URLS, metadata: portalSetupMetadata(service.scope, customer.id) };
  await service.control.checkout((await service.processor.createSetupSession(setup, customerId)).id);
  await service.deliver(await newestEvent('checkout.session.completed', customer));
  const found = await service.processor.findCustomer(customerId);
  expect(await service.processor.findSubscription(String(oldest?.id))).toMatchObject({
    defaultPaymentMethodId: found.deleted ? null : found.defaultPaymentMethodId,
  });
});

it.each([
  ['without metadata', () => ({})],
  ['that only names the customer', () => ({ ...service.scope })],
  ['of another purpose', () => ({ ...service.scope, purpose: 'import' })],
  [
    'of another project',
    () => portalSetupMetadata({ ...service.scope, projectId: ProjectId.create() }, CustomerId.create()),
  ],
] as const)('does not use the payment method of a setup session %s', async (_title, changes) => {
  const customer = await service.createCustomer();
  await service.deliver(newEvent(CustomerCreated, service.scope.teamId, customer));
  await buy(customer);
  const { processorCustomerId: customerId } = customer;
  const methods = async () => {
    const found = await service.processor.findCustomer(customerId);
    const [subscription] = await service.processor.listSubscriptions(customerId);
    return [found.deleted ? null : found.defaultPaymentMethodId, subscription?.defaultPaymentMethodId];
  };
  const before = await methods();
  const setup = { customerId, currency: 'usd', ...URLS, metadata: changes() };
  await service.control.checkout((await service.processor.createSetupSession(setup, customerId)).id);
  await service.deliver(await newestEvent('checkout.session.completed', customer));
  expect(await methods()).toEqual(before);
});

it('records that a checkout has expired', async () => {
  const sessionId = await startCheckout(await service.createCustomer());
  const object = { id: sessionId, object: 'checkout.session', mode: 'subscription', payment_status: 'unpaid' };
  await service.deliver(routedEvent(service.scope, 'checkout.session.expired', object));
  expect(await stateOf(sessionId)).toBe('failed');
});

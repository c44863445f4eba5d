import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CustomerState } from '@billing/contracts/events/customers';
import { CustomerCreated } from '@billing/contracts/events/customers';
import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import type { Envelope } from '@billing/contracts/event';
import { deliveredAgain, processorFact } from '@billing/testing/processor-events';
import { CheckoutSession } from '../src/persistence/checkout-session.entity.ts';
import { startService, type Service } from './service.ts';

const URLS = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

/** The newest event of a type that is about the customer. */
async function newestEvent(type: string, { processorCustomerId }: CustomerState): Promise<Envelope> {
  const events = await service.processorEvents();
  const found = events.findLast(({ type: name, data }) => {
    const { object } = data as { object: { customer?: unknown } }; // an event of the processor has one
    return name === `processor.${type}.v1` && object.customer === processorCustomerId;
  });
  if (!found) throw new Error(`There was no ${type}.`);
  return found;
}

async function buy(customer: CustomerState, { recurring = true } = {}): Promise<string> {
  const { price } = await service.createPrice({ recurring });
  const mode = recurring ? 'subscription' : 'payment';
  const body = { customerId: customer.id, priceId: price.id, mode, ...URLS };
  const { body: session } = await service.call('POST', '/checkout', { body });
  await service.control.checkout(session.sessionId);
  return session.sessionId;
}

const stateOf = async (processorSessionId: string) =>
  (await service.em.fork().findOneOrFail(CheckoutSession, { processorSessionId })).state;
const subscriptionsOf = async ({ id }: CustomerState): Promise<Record<string, unknown>[]> =>
  (await service.call('GET', `/subscriptions?customerId=${id}`)).body.subscriptions;

describe('a completed checkout', () => {
  it('leaves a subscription behind, were it the only event that ever comes', async () => {
    const customer = await service.createCustomer();
    const sessionId = await buy(customer);
    await service.receive(await newestEvent('checkout.session.completed', customer));
    expect(await subscriptionsOf(customer)).toMatchObject([{ status: 'active', customerId: customer.id }]);
    expect(await stateOf(sessionId)).toBe('complete');
    await service.receive(await newestEvent('customer.subscription.created', customer));
    const said = (await service.said(SubscriptionCreated)).filter(({ data }) => data['customerId'] === customer.id);
    expect(said).toHaveLength(1);
  });

  it('waits for a processor that is away, and loses nothing', async () => {
    const customer = await service.createCustomer();
    await buy(customer);
    const completed = await newestEvent('checkout.session.completed', customer);
    await service.control.fail({ path: '/v1/subscriptions', mode: '429', times: 3 });
    const checkouts = service.consumers.find(one => one.durable === 'subscriptions-checkouts');
    expect(await checkouts?.receive(completed, 1)).toMatchObject({ kind: 'again' });
    expect(await checkouts?.receive(completed, 2)).toEqual({ kind: 'done' });
    expect(await subscriptionsOf(customer)).toHaveLength(1);
  });

  it('makes no subscription in payment mode', async () => {
    const customer = await service.createCustomer();
    const sessionId = await buy(customer, { recurring: false });
    await service.receive(await newestEvent('checkout.session.completed', customer));
    expect(await subscriptionsOf(customer)).toEqual([]);
    expect(await stateOf(sessionId)).toBe('complete');
  });

  it('has the saved payment method pay from now on, the default and each running subscription', async () => {
    const customer = await service.createCustomer();
    await service.receive(service.tell(CustomerCreated, customer));
    await buy(customer);
    await buy(customer);
    const setUp = async (key: string) => {
      const { processorCustomerId: customerId } = customer;
      const metadata = { ...service.scope, customerId: customer.id };
      const session = { customerId, currency: 'usd', ...URLS, metadata };
      const { id } = await service.processor.createSetupSession(session, key);
      await service.control.checkout(id);
      return newestEvent('checkout.session.completed', customer);
    };
    const methods = async () => {
      const found = await service.processor.findCustomer(customer.processorCustomerId);
      const subscriptions = await service.processor.listSubscriptions(customer.processorCustomerId);
      const own = subscriptions.map(one => one.defaultPaymentMethodId);
      return [...new Set([found.deleted ? null : found.defaultPaymentMethodId, ...own])];
    };
    const before = await methods();
    await service.receive(await setUp('setup-1'));
    const replaced = await methods();
    expect(replaced).toEqual([expect.stringMatching(/^pm_/)]);
    expect(before).not.toContain(replaced[0]);

    const late = await setUp('setup-2');
    await service.control.advanceClock(60);
    const newest = await setUp('setup-3');
    await service.receive(newest);
    const last = await methods();
    expect(last).toEqual([expect.stringMatching(/^pm_/)]);
    await service.receive(late);
    await service.receive(deliveredAgain(newest));
    expect(await methods()).toEqual(last);
  });
});

describe('a checkout that comes to nothing', () => {
  it('is remembered as expired', async () => {
    const customer = await service.createCustomer();
    const { price } = await service.createPrice();
    const body = { customerId: customer.id, priceId: price.id, ...URLS };
    const { body: session } = await service.call('POST', '/checkout', { body });
    const object = {
      id: session.sessionId,
      object: 'checkout.session',
      mode: 'subscription',
      payment_status: 'unpaid',
    };
    await service.receive(processorFact(service.scope, 'checkout.session.expired', object));
    expect(await stateOf(session.sessionId)).toBe('expired');
  });
});

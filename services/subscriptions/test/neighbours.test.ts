import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CustomerState } from '@billing/contracts/events/customers';
import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import type { Envelope } from '@billing/contracts/event';
import { CustomerId, type ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import { DescribeCustomerBilling, HasSubscribed, ScheduleCancellation } from '@billing/contracts/rpc/calls';
import { waitFor } from '@billing/testing/wait-for';
import { anInvoice, invoiceObject, after } from './payloads.ts';
import { processorFact } from '@billing/testing/processor-events';
import { startService, type Service } from './service.ts';

let service: Service;
let customer: CustomerState;
const heard: Envelope[] = [];

beforeAll(async () => {
  service = await startService();
  await service.run();
  await service.bus.consume('heard', 'subscription.*.v1', async event => {
    heard.push(event);
    return { kind: 'done' };
  });
  customer = await service.createCustomer();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Puts facts on the bus, as other services do. */
const publish = async (...events: Envelope[]) => {
  for (const event of events) {
    const body = JSON.stringify({ ...event, occurredAt: event.occurredAt.toISOString() });
    await service.bus.publish(event.type, body, event.id, {});
  }
};

const buy = async () => {
  const { price } = await service.createPrice();
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  const body = { customerId: customer.id, priceId: price.id, ...urls };
  const { body: session } = await service.call('POST', '/checkout', { body });
  await service.control.checkout(session.sessionId);
  return price;
};

const scopeAnd = (customerId: CustomerId): ProjectScope & { customerId: CustomerId } => ({
  ...service.scope,
  customerId,
});

describe('the service on the bus', () => {
  it('turns a paid checkout into an active subscription, says so, and answers questions about it', async () => {
    const { rpc } = service;
    expect(await rpc.call(HasSubscribed, scopeAnd(customer.id))).toEqual({ subscribed: false });
    const price = await buy();
    await publish(...(await service.processorEvents()).toReversed().filter(one => !isOfOthers(one)));
    const said = await waitFor(() => heard.find(one => one.type === SubscriptionCreated.name), {
      what: 'the subscription to be told of',
    });
    expect(said.data).toMatchObject({ customerId: customer.id, priceId: price.id, status: 'active' });
    expect(await rpc.call(HasSubscribed, scopeAnd(customer.id))).toEqual({ subscribed: true });

    const draft = anInvoice({ id: 'in_draft', customer: customer.processorCustomerId, status: 'draft' });
    const open = { ...draft, id: 'in_open', status: 'open', createdAt: after(-999) };
    await publish(...[draft, open].map(one => processorFact(service.scope, 'invoice.updated', invoiceObject(one))));
    const question = { ...scopeAnd(customer.id), invoiceLimit: 10, invoiceOffset: 0 };
    const billing = await waitFor(
      async () => {
        const answered = await rpc.call(DescribeCustomerBilling, question);
        return answered.invoiceTotal === 2 ? answered : undefined;
      },
      { what: 'both invoices' },
    );
    expect(billing.subscriptions).toMatchObject([{ productName: 'Pro', status: 'active', priceId: price.id }]);
    expect(billing.invoices.map(one => one.status)).toEqual(['paid', 'open']);
    const page = await rpc.call(DescribeCustomerBilling, { ...question, invoiceLimit: 1, invoiceOffset: 1 });
    expect(page.invoices.map(one => one.status)).toEqual(['open']);
  });

  it('lets a customer schedule the end of an own subscription, and of no other', async () => {
    const { rpc } = service;
    const { body } = await service.call('GET', '/subscriptions');
    const subscriptionId = SubscriptionId.schema.parse(body.subscriptions[0].id);
    const wanted = { subscriptionId, cancelAtPeriodEnd: true };
    expect(await rpc.call(ScheduleCancellation, { ...scopeAnd(customer.id), ...wanted })).toMatchObject({
      id: subscriptionId,
      cancelAtPeriodEnd: true,
    });
    const question = { ...scopeAnd(customer.id), invoiceLimit: 1, invoiceOffset: 0 };
    const [shown] = (await rpc.call(DescribeCustomerBilling, question)).subscriptions;
    expect(shown).toMatchObject({ cancelAtPeriodEnd: true, cancelAt: shown?.currentPeriodEnd });
    await expect(rpc.call(ScheduleCancellation, { ...scopeAnd(CustomerId.create()), ...wanted })).rejects.toMatchObject(
      { code: 'subscription_not_found' },
    );
  });

  it('shows a customer no subscription that has ended', async () => {
    const { body } = await service.call('GET', '/subscriptions');
    await service.call('DELETE', `/subscriptions/${body.subscriptions[0].id}`);
    const question = { ...scopeAnd(customer.id), invoiceLimit: 10, invoiceOffset: 0 };
    expect(await service.rpc.call(DescribeCustomerBilling, question)).toMatchObject({ subscriptions: [] });
    expect(await service.rpc.call(HasSubscribed, scopeAnd(customer.id))).toEqual({ subscribed: true });
  });
});

/** Facts about products, prices and customers have owners of their own. */
function isOfOthers({ type }: Envelope): boolean {
  return /^processor\.(product|price|customer\.(created|updated))\./.test(type);
}

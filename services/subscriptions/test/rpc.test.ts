import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CustomerState } from '@billing/contracts/events/customers';
import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import type { Envelope } from '@billing/contracts/event';
import { CustomerId, SubscriptionId, type ProjectScope } from '@billing/contracts/ids';
import {
  ChangeCustomerPlan,
  DescribeCustomerBilling,
  DropCustomerPlan,
  PauseCustomerSubscription,
  PreviewCustomerPlan,
  PreviewCustomerResume,
  ResumeCustomerSubscription,
  ScheduleCancellation,
} from '@billing/contracts/rpc/as-customer';
import { HasSubscribed } from '@billing/contracts/rpc/calls';
import { ListSubscriptionStates } from '@billing/contracts/rpc/list-states';
import { routedEvent } from '@billing/testing/processor-events';
import { waitFor } from '@billing/testing/wait-for';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { after, anInvoice, invoiceObject } from './payloads.ts';
import { OWNED_TYPES, startService, type Service } from './service.ts';

let service: Service;
let customer: CustomerState;
const received: Envelope[] = [];

beforeAll(async () => {
  service = await startService();
  await service.run();
  const stop = await service.bus.subscribe('test', 'record.subscription.*.v1', async ({ event }) => {
    received.push(event);
    return { kind: 'ack' };
  });
  service.resources.defer(stop);
  customer = await service.createCustomer();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Buys a subscription and puts its events on the bus, the newest first. */
async function buy() {
  const { price } = await service.createPrice();
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  const body = { customerId: customer.id, priceId: price.id, ...urls };
  const { body: session } = await service.call('POST', '/checkout', { body });
  await service.control.checkout(session.sessionId);
  await service.emit(...(await service.account.events(service.scope, ...OWNED_TYPES)).toReversed());
  return price;
}

const withCustomer = (customerId: CustomerId): ProjectScope & { customerId: CustomerId } => ({
  ...service.scope,
  customerId,
});

async function findSubscriptionId(): Promise<SubscriptionId> {
  const { body } = await service.call('GET', '/subscriptions');
  return SubscriptionId.schema.parse(body.subscriptions[0].id);
}

describe('the service on the bus', () => {
  it('publishes the subscription of a paid checkout, and returns it by RPC', async () => {
    const { rpc } = service;
    expect(await rpc.call(HasSubscribed, withCustomer(customer.id))).toEqual({ subscribed: false });
    const price = await buy();
    const created = await waitFor(() => received.find(({ type }) => type === SubscriptionCreated.name), {
      what: 'subscription.created',
    });
    expect(created.data).toMatchObject({ customerId: customer.id, priceId: price.id, status: 'active' });
    expect(await rpc.call(HasSubscribed, withCustomer(customer.id))).toEqual({ subscribed: true });
    const { records, next } = await rpc.call(ListSubscriptionStates, { ...service.scope, after: null, limit: 10 });
    expect(records).toMatchObject([{ state: { id: await findSubscriptionId(), status: 'active' } }]);
    expect(next).toBeNull();
  });

  it('describes the billing of a customer, with pages of invoices without drafts', async () => {
    const draft = anInvoice({ id: 'in_draft', customer: customer.processorCustomerId, status: 'draft' });
    const open = { ...draft, id: 'in_open', status: 'open', createdAt: after(-999) };
    await service.emit(...[draft, open].map(one => routedEvent(service.scope, 'invoice.updated', invoiceObject(one))));
    const request = { ...withCustomer(customer.id), invoiceLimit: 10, invoiceOffset: 0 };
    const billing = await service.rpc.call(DescribeCustomerBilling, request);
    expect(billing.subscriptions).toMatchObject([{ productName: 'Pro', status: 'active' }]);
    expect(billing.invoices.map(({ status }) => status)).toEqual(['paid', 'open']);
    expect(billing.invoiceTotal).toBe(2);
    const page = await service.rpc.call(DescribeCustomerBilling, { ...request, invoiceLimit: 1, invoiceOffset: 1 });
    expect(page.invoices.map(({ status }) => status)).toEqual(['open']);
  });

  it('pauses and resumes for the customer, and for no other', async () => {
    const { rpc } = service;
    const subscriptionId = await findSubscriptionId();
    const own = { ...withCustomer(customer.id), subscriptionId };
    const others = { ...withCustomer(CustomerId.create()), subscriptionId };
    const audit = { ...testAuditContext(), actor: { type: 'customer', id: customer.id } } as const;
    const notFound = { code: 'subscription_not_found' };
    const pause = { resumesAt: new Date('2099-01-01T00:00:00Z'), audit, operationKey: randomUUID() };
    await expect(rpc.call(PauseCustomerSubscription, { ...others, ...pause })).rejects.toMatchObject(notFound);
    const pauseCollection = { behavior: 'void', resumesAt: pause.resumesAt };
    for (let times = 0; times < 2; times += 1)
      expect(await rpc.call(PauseCustomerSubscription, { ...own, ...pause })).toMatchObject({ pauseCollection });
    const resume = { billingCycle: 'keep', expectedAmountDue: 0, audit, operationKey: randomUUID() } as const;
    await expect(rpc.call(PreviewCustomerResume, { ...others, ...resume })).rejects.toMatchObject(notFound);
    expect(await rpc.call(PreviewCustomerResume, { ...own, ...resume })).toMatchObject({ amountDue: 0, exact: true });
    await expect(rpc.call(ResumeCustomerSubscription, { ...others, ...resume })).rejects.toMatchObject(notFound);
    for (let times = 0; times < 2; times += 1)
      expect(await rpc.call(ResumeCustomerSubscription, { ...own, ...resume })).toMatchObject({
        pauseCollection: null,
      });
  });

  it('previews, schedules and takes back a change for the customer, and for no other', async () => {
    const { rpc } = service;
    const subscriptionId = await findSubscriptionId();
    const { price } = await service.createPrice({ unitAmount: 9_900 });
    const plan = { priceId: price.id, when: 'period_end' } as const;
    const audit = testAuditContext();
    const own = { ...withCustomer(customer.id), subscriptionId };
    const others = { ...withCustomer(CustomerId.create()), subscriptionId };
    const notFound = { code: 'subscription_not_found' };

    const preview = await rpc.call(PreviewCustomerPlan, { ...own, plan });
    expect(preview).toMatchObject({ direction: 'up', amountDue: 0, nextInvoice: { total: 9_900 } });
    await expect(rpc.call(PreviewCustomerPlan, { ...others, plan })).rejects.toMatchObject(notFound);

    const request = { plan, audit, operationKey: randomUUID() };
    await expect(rpc.call(ChangeCustomerPlan, { ...others, ...request })).rejects.toMatchObject(notFound);
    const made = await rpc.call(ChangeCustomerPlan, { ...own, ...request });
    expect(made).toMatchObject({
      change: { status: 'scheduled' },
      subscription: { scheduledChange: { id: made.change.id } },
    });
    expect((await rpc.call(ChangeCustomerPlan, { ...own, ...request })).change).toEqual(made.change);
    const described = () =>
      rpc.call(DescribeCustomerBilling, { ...withCustomer(customer.id), invoiceLimit: 1, invoiceOffset: 0 });
    const { subscriptions, productNames } = await described();
    expect(subscriptions).toMatchObject([{ hasForeignSchedule: false, scheduledChange: { id: made.change.id } }]);
    expect(productNames[price.id]).toBe('Pro');

    await expect(rpc.call(DropCustomerPlan, { ...others, audit })).rejects.toMatchObject(notFound);
    expect(await rpc.call(DropCustomerPlan, { ...own, audit })).toMatchObject({ scheduledChange: null });
    await expect(rpc.call(DropCustomerPlan, { ...own, audit })).rejects.toMatchObject({ code: 'change_not_found' });

    const { processorSubscriptionId: from_subscription } = made.subscription;
    const schedule = await service.account.dashboard.subscriptionSchedules.create({ from_subscription });
    await service.emit(...(await service.account.events(service.scope, ...OWNED_TYPES)));
    expect((await described()).subscriptions).toMatchObject([{ hasForeignSchedule: true }]);
    await service.account.dashboard.subscriptionSchedules.release(schedule.id);
    await service.emit(...(await service.account.events(service.scope, ...OWNED_TYPES)));
    expect((await described()).subscriptions).toMatchObject([{ hasForeignSchedule: false }]);
  });

  it('schedules the end of a subscription for its customer, and for no other', async () => {
    const { rpc } = service;
    const subscriptionId = await findSubscriptionId();
    const cancellation = { reason: 'unused', comment: 'Later.' } as const;
    const change = { subscriptionId, cancelAtPeriodEnd: true, cancellation, audit: testAuditContext() };
    expect(await rpc.call(ScheduleCancellation, { ...withCustomer(customer.id), ...change })).toMatchObject({
      id: subscriptionId,
      cancelAtPeriodEnd: true,
      cancellation,
    });
    const request = { ...withCustomer(customer.id), invoiceLimit: 1, invoiceOffset: 0 };
    const [shown] = (await rpc.call(DescribeCustomerBilling, request)).subscriptions;
    expect(shown).toMatchObject({ cancelAtPeriodEnd: true, cancelAt: shown?.currentPeriodEnd });
    const byOther = rpc.call(ScheduleCancellation, { ...withCustomer(CustomerId.create()), ...change });
    await expect(byOther).rejects.toMatchObject({ code: 'subscription_not_found' });
  });

  it('leaves out subscriptions that have ended', async () => {
    await service.call('DELETE', `/subscriptions/${await findSubscriptionId()}`);
    const request = { ...withCustomer(customer.id), invoiceLimit: 10, invoiceOffset: 0 };
    expect(await service.rpc.call(DescribeCustomerBilling, request)).toMatchObject({ subscriptions: [] });
    expect(await service.rpc.call(HasSubscribed, withCustomer(customer.id))).toEqual({ subscribed: true });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { CustomerCreated } from '@billing/contracts/events/customers';
import { ProjectId, type ProjectScope } from '@billing/contracts/ids';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { deliveredAgain, processorFact } from '@billing/testing/processor-events';
import { Payment } from '../src/persistence/payment.entity.ts';
import {
  after,
  anInvoice,
  aSubscription,
  chargeObject,
  invoiceObject,
  paymentIntentObject,
  subscriptionObject,
  type InvoicePayload,
} from './payloads.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

async function aProject() {
  const scope: ProjectScope = { ...service.scope, projectId: ProjectId.create() };
  const customer = await service.createCustomer(scope, `cus_${scope.projectId}`);
  await service.receive(service.tell(CustomerCreated, customer, scope));
  const base = anInvoice({ customer: customer.processorCustomerId, subscription: null });
  return {
    scope,
    customer,
    base,
    event: (type: ProcessorEventType, at: Date, changes: Partial<InvoicePayload> = {}) =>
      processorFact(scope, type, invoiceObject({ ...base, ...changes }), { createdAt: at }),
    list: async (query = '') => {
      const { body } = await service.call('GET', `/invoices${query}`, { of: scope });
      return body.invoices as Record<string, unknown>[]; // the answer has passed the operation's schema
    },
    payments: () =>
      service.em.fork().find(Payment, scope, {
        fields: ['customerId', 'processorId', 'kind', 'status', 'amount', 'currency', 'failureCode'],
      }),
  };
}

describe('an invoice', () => {
  it('is recorded in full', async () => {
    const { event, list, customer, scope } = await aProject();
    await service.receive(event('invoice.paid', after(5), { status: 'paid', amountPaid: 2_999 }));
    const [invoice] = await list();
    expect(invoice).toEqual({
      id: expect.stringMatching(/^pinv_/),
      processorInvoiceId: 'in_1',
      customerId: customer.id,
      subscriptionId: null,
      number: 'INV-0001',
      status: 'paid',
      amountDue: 2_999,
      amountPaid: 2_999,
      amountRemaining: 0,
      currency: 'usd',
      billingReason: 'subscription_cycle',
      hostedInvoiceUrl: 'https://invoice.stripe.com/i/in_1',
      invoicePdfUrl: 'https://pay.stripe.com/invoice/in_1/pdf',
      periodStart: after(0).toISOString(),
      periodEnd: after(0).toISOString(),
      dueDate: null,
      paidAt: after(0).toISOString(),
      projectId: scope.projectId,
      createdAt: after(0).toISOString(),
      updatedAt: expect.any(String),
    });
  });

  it('ends the same in every order of its events', async () => {
    const history: [ProcessorEventType, Date, Partial<InvoicePayload>][] = [
      ['invoice.finalized', after(1), { status: 'open' }],
      ['invoice.payment_failed', after(1), { status: 'open' }],
      ['invoice.updated', after(2), { status: 'open', number: 'INV-0002' }],
      ['invoice.updated', after(3), { status: 'paid', amountPaid: 2_999, number: 'INV-0002' }],
      ['invoice.paid', after(3), { status: 'paid', amountPaid: 2_999, number: 'INV-0002' }],
    ];
    const deliveries = fc
      .array(fc.nat(history.length - 1), { maxLength: 4 })
      .chain(extra => fc.shuffledSubarray([...history.keys(), ...extra], { minLength: history.length + extra.length }));
    await fc.assert(
      fc.asyncProperty(deliveries, async order => {
        const { event, list } = await aProject();
        const events = history.map(([type, at, changes]) => event(type, at, changes));
        for (const index of order) {
          const one = events[index];
          if (one) await service.receive(deliveredAgain(one));
        }
        expect(await list()).toMatchObject([{ status: 'paid', amountPaid: 2_999, number: 'INV-0002' }]);
      }),
      { numRuns: 20 },
    );
  });

  it.each(['paid', 'void'])('that is %s is not undone by an older event', async status => {
    const { event, list } = await aProject();
    await service.receive(event(status === 'paid' ? 'invoice.paid' : 'invoice.voided', after(9), { status }));
    await service.receive(event('invoice.updated', after(8), { status: 'open' }));
    expect(await list()).toMatchObject([{ status }]);
  });

  it.each(['old', 'new'] as const)('finds its subscription in the %s shape, even one that comes later', async shape => {
    const { scope, customer, base, list } = await aProject();
    const invoice = invoiceObject({ ...base, subscription: 'sub_later' }, shape);
    await service.receive(processorFact(scope, 'invoice.finalized', invoice, { createdAt: after(1) }));
    expect(await list()).toMatchObject([{ subscriptionId: null }]);
    const subscription = aSubscription({ id: 'sub_later', customer: customer.processorCustomerId });
    await service.receive(processorFact(scope, 'customer.subscription.created', subscriptionObject(subscription)));
    const { body } = await service.call('GET', '/subscriptions', { of: scope });
    const subscriptionId = body.subscriptions[0].id;
    expect(await list(`?subscriptionId=${subscriptionId}`)).toMatchObject([{ subscriptionId }]);
  });

  it('keeps the last known status when the processor names one that is not known', async () => {
    const { event, list } = await aProject();
    await service.receive(event('invoice.finalized', after(1)));
    await service.receive(event('invoice.updated', after(2), { status: 'pondering', number: 'INV-9' }));
    expect(await list()).toMatchObject([{ status: 'open', number: 'INV-9' }]);
  });

  it('is found by customer and by status, newest first', async () => {
    const { event, list, customer } = await aProject();
    for (const [index, status] of ['open', 'paid', 'draft'].entries()) {
      await service.receive(event('invoice.updated', after(1), { id: `in_${index}`, status, createdAt: after(index) }));
    }
    expect((await list()).map(one => one['status'])).toEqual(['draft', 'paid', 'open']);
    expect(await list('?status=paid')).toHaveLength(1);
    expect(await list(`?customerId=${customer.id}`)).toHaveLength(3);
    expect(await list(`?customerId=${(await aProject()).customer.id}`)).toEqual([]);
    const { body } = await service.call('GET', '/invoices?status=nonsense');
    expect(body.error.code).toBe('validation_error');
  });
});

describe('a payment', () => {
  it('is recorded with its failure, and then with its success', async () => {
    const { scope, payments, customer } = await aProject();
    const failed = paymentIntentObject({
      customer: customer.processorCustomerId,
      last_payment_error: { code: 'card_declined' },
    });
    const deliver = (type: ProcessorEventType, object: Record<string, unknown>, at: Date) =>
      service.receive(processorFact(scope, type, object, { createdAt: at }));
    const payment = {
      customerId: customer.id,
      processorId: 'pi_1',
      kind: 'payment_intent',
      amount: 2_999,
      currency: 'usd',
    };
    await deliver('payment_intent.payment_failed', failed, after(1));
    expect(await payments()).toMatchObject([{ ...payment, status: 'failed', failureCode: 'card_declined' }]);
    await deliver('payment_intent.succeeded', failed, after(3));
    await deliver('payment_intent.payment_failed', failed, after(2));
    await deliver('payment_intent.succeeded', failed, after(3));
    expect(await payments()).toMatchObject([{ ...payment, status: 'succeeded', failureCode: null }]);
  });

  it('is recorded for charges too, with or without a customer', async () => {
    const { scope, payments } = await aProject();
    const charge = chargeObject({ customer: null, failure_code: 'expired_card' });
    await service.receive(processorFact(scope, 'charge.failed', charge));
    expect(await payments()).toMatchObject([
      { kind: 'charge', customerId: null, status: 'failed', failureCode: 'expired_card' },
    ]);
  });
});

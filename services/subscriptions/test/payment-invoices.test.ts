import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { routedEvent } from '@billing/testing/processor-events';
import { after, anInvoice, invoiceObject } from './payloads.ts';
import { objectOf, startService, type Service } from './service.ts';
import { fail, startPayment, subscribe } from './start-payment.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

it.each(['old', 'new'] as const)('links the invoice, in the %s shape of payloads, in either order', async shape => {
  for (const isInvoiceFirst of [true, false]) {
    const { scope, customer, event, payments, invoices } = await startPayment(service);
    const invoice = anInvoice({ customer: customer.processorCustomerId, subscription: null, status: 'paid' });
    const listed = { object: 'list', data: [{ payment: { type: 'payment_intent', payment_intent: 'pi_1' } }] };
    const link = shape === 'old' ? { payment_intent: 'pi_1' } : { payments: listed };
    const paid = routedEvent(scope, 'invoice.paid', { ...invoiceObject(invoice, shape), ...link });
    const succeeded = event('payment_intent.succeeded', after(1));
    for (const one of isInvoiceFirst ? [paid, succeeded] : [succeeded, paid]) await service.deliver(one);
    const [recorded] = await invoices();
    expect(await payments()).toMatchObject([{ invoiceId: recorded?.['id'] }]);
  }
});

it.each(['invoice.paid', 'invoice_payment.paid'] as const)(
  'links the invoice by %s as the processor sends it, in either order',
  async type => {
    for (const isPaymentFirst of [true, false]) {
      const project = await startPayment(service);
      const [linking, succeeded, paid] = (await subscribe(service, project))(
        type,
        'payment_intent.succeeded',
        'invoice.updated',
      );
      if (!linking || !succeeded || !paid) throw new Error('An event is missing.');
      expect(objectOf(linking)).not.toHaveProperty('payments');
      for (const event of isPaymentFirst ? [succeeded, linking] : [linking, succeeded]) await service.deliver(event);
      await service.deliver(paid);
      const [invoice] = await project.invoices();
      expect(await project.payments()).toMatchObject([{ invoiceId: invoice?.['id'] }]);
      expect(invoice?.['id']).toBeTruthy();
    }
  },
);

it('links a payment that failed to its invoice, in either order', async () => {
  for (const isPaymentFirst of [true, false]) {
    const project = await startPayment(service);
    const { scope, customer, payments, invoices } = project;
    await subscribe(service, project);
    const [subscription] = await service.processor.listSubscriptions(customer.processorCustomerId);
    await service.control.renew(subscription?.id ?? '', 'decline');
    const lastOf = async (type: ProcessorEventType) => (await service.account.events(scope, type)).at(-1) ?? fail(type);
    const events = [await lastOf('payment_intent.payment_failed'), await lastOf('invoice.payment_failed')];
    for (const event of isPaymentFirst ? events : events.toReversed()) await service.deliver(event);
    const [invoice] = await invoices();
    expect(await payments()).toMatchObject([{ status: 'failed', invoiceId: invoice?.['id'] }]);
    expect(invoice).toMatchObject({ status: 'open' });
  }
});

it('links the payments that the event of an invoice cuts', async () => {
  const project = await startPayment(service);
  const [succeeded, paid] = (await subscribe(service, project))('payment_intent.succeeded', 'invoice.paid');
  if (!succeeded || !paid) throw new Error('An event is missing.');
  const payments = { object: 'list', data: [], has_more: true };
  await service.deliver(succeeded);
  expect(await project.payments()).toMatchObject([{ invoiceId: null }]);
  await service.deliver(routedEvent(project.scope, 'invoice.updated', { ...objectOf(paid), payments }));
  const [invoice] = await project.invoices();
  expect(await project.payments()).toMatchObject([{ invoiceId: invoice?.['id'] }]);
});

it('links the invoice that an old payload of the payment names, until the draft is deleted', async () => {
  const { scope, customer, event, payments, invoices, publicEvents } = await startPayment(service);
  await service.deliver(event('charge.succeeded', after(1), { invoice: 'in_1' }));
  expect(await payments()).toMatchObject([{ invoiceId: null }]);
  const invoice = anInvoice({ customer: customer.processorCustomerId, subscription: null });
  await service.deliver(routedEvent(scope, 'invoice.updated', invoiceObject({ ...invoice, status: 'draft' })));
  expect(await payments()).toMatchObject([{ invoiceId: (await invoices())[0]?.['id'] }]);
  await service.deliver(routedEvent(scope, 'invoice.deleted', { id: 'in_1', object: 'invoice', deleted: true }));
  expect(await payments()).toMatchObject([{ invoiceId: null }]);
  expect(
    (await publicEvents()).flatMap(({ type, data }) => (type.startsWith('payment') ? [data?.['invoiceId']] : [])),
  ).toEqual([null, expect.any(String), null]);
});

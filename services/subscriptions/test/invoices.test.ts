import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { deliveredAgain, routedEvent } from '@billing/testing/processor-events';
import { after, anInvoice, aSubscription, invoiceObject, subscriptionObject, type InvoicePayload } from './payloads.ts';
import { startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A project with one customer, and the events of one of its invoices. */
async function startInvoice({ hasCopy = true } = {}) {
  const project = await startProject(service, { hasCopy });
  const base = anInvoice({ customer: project.customer.processorCustomerId, subscription: null });
  return {
    ...project,
    base,
    event: (type: ProcessorEventType, at: Date, changes: Partial<InvoicePayload> = {}) =>
      routedEvent(project.scope, type, invoiceObject({ ...base, ...changes }), { createdAt: at }),
  };
}

it('records an invoice in full', async () => {
  const { event, invoices, customer, scope } = await startInvoice();
  await service.deliver(event('invoice.paid', after(5), { status: 'paid', amountPaid: 2_999 }));
  expect(await invoices()).toEqual([
    {
      id: expect.stringMatching(/^pinv_/),
      processorInvoiceId: 'in_1',
      customerId: customer.id,
      subscriptionId: null,
      number: 'INV-0001',
      status: 'paid',
      subtotal: null,
      discount: 0,
      tax: 0,
      total: null,
      taxes: [],
      customerTaxIds: [],
      purchaseOrder: null,
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
    },
  ]);
});

it('removes a draft that is deleted at the processor, in every order of events', async () => {
  const order = fc.shuffledSubarray([0, 1, 2, 0, 1, 2], { minLength: 6 });
  await fc.assert(
    fc.asyncProperty(order, fc.boolean(), fc.boolean(), async (indexes, isBatch, isStub) => {
      const { event, invoices, base, scope } = await startInvoice();
      const draft = { status: 'draft', number: null };
      const stub = { id: base.id, object: 'invoice', deleted: true };
      const events = [
        event('invoice.updated', after(1), draft),
        event('invoice.updated', after(2), { ...draft, amountDue: 1 }),
        isStub
          ? routedEvent(scope, 'invoice.deleted', stub, { createdAt: after(3) })
          : event('invoice.deleted', after(3), draft),
      ];
      const delivered = indexes.flatMap(index => events[index] ?? []).map(deliveredAgain);
      if (isBatch) await service.deliver(...delivered);
      else for (const one of delivered) await service.deliver(one);
      expect(await invoices()).toEqual([]);
    }),
    { numRuns: runs(10) },
  );
});

it('shows a draft until it is deleted, and leaves the same invoice of other projects alone', async () => {
  const [one, other] = [await startInvoice(), await startInvoice()];
  for (const { event } of [one, other]) await service.deliver(event('invoice.updated', after(1), { status: 'draft' }));
  expect(await one.invoices()).toMatchObject([{ status: 'draft' }]);
  await service.deliver(one.event('invoice.deleted', after(2), { status: 'draft' }));
  expect([await one.invoices(), await other.invoices()]).toMatchObject([[], [{ status: 'draft' }]]);
});

it('finds the customer by RPC while there is no copy of it', async () => {
  const { event, invoices, customer } = await startInvoice({ hasCopy: false });
  await service.deliver(event('invoice.finalized', after(1)), event('invoice.updated', after(2), { number: 'INV-2' }));
  expect(await invoices()).toMatchObject([{ customerId: customer.id, number: 'INV-2' }]);
});

it('ignores an invoice without a customer, and completes its event', async () => {
  const { scope, base, invoices, completions } = await startInvoice();
  await service.deliver(routedEvent(scope, 'invoice.finalized', { ...invoiceObject(base), customer: null }));
  expect(await invoices()).toEqual([]);
  expect(await completions()).toMatchObject([{ outcome: 'processed' }]);
});

type History = readonly [ProcessorEventType, Date, Partial<InvoicePayload>][];

const AMOUNT = { number: 'INV-0002', amountPaid: 0 };
const HISTORIES: Readonly<Record<'paid' | 'void' | 'uncollectible', History>> = {
  paid: [
    ['invoice.finalized', after(1), { status: 'open' }],
    ['invoice.payment_failed', after(1), { status: 'open' }],
    ['invoice.updated', after(2), { ...AMOUNT, status: 'open' }],
    ['invoice.marked_uncollectible', after(2), { ...AMOUNT, status: 'uncollectible' }],
    ['invoice.updated', after(3), { ...AMOUNT, status: 'paid', amountPaid: 2_999 }],
    ['invoice.paid', after(3), { ...AMOUNT, status: 'paid', amountPaid: 2_999 }],
  ],
  void: [
    ['invoice.finalized', after(1), { status: 'open' }],
    ['invoice.payment_failed', after(1), { status: 'open' }],
    ['invoice.updated', after(3), { ...AMOUNT, status: 'void' }],
    ['invoice.voided', after(3), { ...AMOUNT, status: 'void' }],
  ],
  uncollectible: [
    ['invoice.finalized', after(1), { status: 'open' }],
    ['invoice.updated', after(2), { ...AMOUNT, status: 'open' }],
    ['invoice.updated', after(3), { ...AMOUNT, status: 'uncollectible' }],
    ['invoice.marked_uncollectible', after(3), { ...AMOUNT, status: 'uncollectible' }],
  ],
};

it.each(['paid', 'void', 'uncollectible'] as const)('is %s in the end in every order of events', async end => {
  const history = HISTORIES[end];
  const deliveries = fc
    .array(fc.nat(history.length - 1), { maxLength: 4 })
    .chain(extra => fc.shuffledSubarray([...history.keys(), ...extra], { minLength: history.length + extra.length }));
  await fc.assert(
    fc.asyncProperty(deliveries, fc.boolean(), async (order, isBatch) => {
      const { event, invoices } = await startInvoice();
      const events = history.map(([type, at, changes]) => event(type, at, changes));
      const delivered = order.flatMap(index => events[index] ?? []).map(deliveredAgain);
      if (isBatch) await service.deliver(...delivered);
      else for (const one of delivered) await service.deliver(one);
      const amountPaid = end === 'paid' ? 2_999 : 0;
      expect(await invoices()).toMatchObject([{ status: end, amountPaid, number: 'INV-0002' }]);
    }),
    { numRuns: runs(15) },
  );
});

it.each(['paid', 'void'])('keeps an invoice %s after an older event', async status => {
  const { event, invoices } = await startInvoice();
  await service.deliver(event(status === 'paid' ? 'invoice.paid' : 'invoice.voided', after(9), { status }));
  await service.deliver(event('invoice.updated', after(8), { status: 'open' }));
  expect(await invoices()).toMatchObject([{ status }]);
});

it.each(['old', 'new'] as const)('links a subscription that comes later, in the %s shape of payloads', async shape => {
  const { scope, customer, base, invoices, subscriptions } = await startInvoice();
  const invoice = invoiceObject({ ...base, subscription: 'sub_later' }, shape);
  await service.deliver(routedEvent(scope, 'invoice.finalized', invoice, { createdAt: after(1) }));
  expect(await invoices()).toMatchObject([{ subscriptionId: null }]);
  const subscription = aSubscription({ id: 'sub_later', customer: customer.processorCustomerId });
  await service.deliver(routedEvent(scope, 'customer.subscription.created', subscriptionObject(subscription)));
  const [recorded] = await subscriptions();
  const subscriptionId = String(recorded?.['id']);
  expect(await invoices(`?subscriptionId=${subscriptionId}`)).toMatchObject([{ subscriptionId }]);
});

it('leaves the recorded status when that of an event is unknown', async () => {
  const { event, invoices } = await startInvoice();
  await service.deliver(event('invoice.finalized', after(1)));
  await service.deliver(event('invoice.updated', after(2), { status: 'pondering', number: 'INV-9' }));
  expect(await invoices()).toMatchObject([{ status: 'open', number: 'INV-9' }]);
});

describe('the list of invoices', () => {
  it('filters by customer and status, newest first', async () => {
    const { event, invoices, customer } = await startInvoice();
    for (const [index, status] of ['open', 'paid', 'draft'].entries()) {
      const changes = { id: `in_${index}`, status, createdAt: after(index) };
      await service.deliver(event('invoice.updated', after(1), changes));
    }
    expect((await invoices()).map(one => one['status'])).toEqual(['draft', 'paid', 'open']);
    expect(await invoices('?status=paid')).toHaveLength(1);
    expect(await invoices(`?customerId=${customer.id}`)).toHaveLength(3);
    const other = await startInvoice();
    expect(await invoices(`?customerId=${other.customer.id}`)).toEqual([]);
  });

  it('rejects an unknown status', async () => {
    const { body } = await service.call('GET', '/invoices?status=nonsense');
    expect(body.error.code).toBe('validation_error');
  });
});

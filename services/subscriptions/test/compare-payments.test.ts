import { afterAll, beforeAll, expect, it } from 'vitest';
import { routedEvent } from '@billing/testing/processor-events';
import { compareSubscriptions } from '../src/record/compare-subscriptions.ts';
import { after, anInvoice, chargeObject, invoiceObject, paymentIntentObject, refundObject } from './payloads.ts';
import { startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A project with one customer, whose charge a sync compares and records. */
async function startComparing() {
  const project = await startProject(service);
  const { scope, customer } = project;
  const processorCustomerId = customer.processorCustomerId;
  const compare = compareSubscriptions(service.em);
  const charge = (changes: Record<string, unknown> = {}) =>
    ({ ...chargeObject({ customer: processorCustomerId }), ...changes }) as { id: string }; // the payload has one
  return {
    ...project,
    charge,
    compare: (object: { id: string }, type: 'payment' | 'invoice' = 'payment') =>
      compare({ ...scope, type, objects: [object] }),
    record: (object: { id: string }, at: Date) =>
      service.deliver(routedEvent(scope, 'charge.updated', { ...object }, { createdAt: at })),
    payments: async () => (await service.call('GET', '/payments', { of: scope })).body.payments,
    paidInvoice: { ...invoiceObject(anInvoice({ customer: processorCustomerId, subscription: null, status: 'paid' })) },
  };
}

it('finds a charge missing, and equal once it is recorded', async () => {
  const { charge, compare, record, payments, customer } = await startComparing();
  expect(await compare(charge())).toEqual([
    { outcome: 'missing', id: null, fields: [], hasParent: true, isHeldElsewhere: false },
  ]);
  await record(charge(), after(1));
  const [payment] = await payments();
  expect(payment).toMatchObject({ status: 'succeeded', customerId: customer.id, processorPaymentIntentId: 'pi_1' });
  expect(await compare(charge())).toMatchObject([{ outcome: 'same', id: payment.id }]);
});

it('finds what an earlier version did not read of the method, and no more once it is recorded', async () => {
  const { charge, compare, record, scope, payments } = await startComparing();
  const [card, bank] = ['card', 'us_bank_account'].map(type => ({
    payment_method_details: {
      type,
      [type]: { last4: '6789', ...(type === 'card' ? { brand: 'visa' } : { bank_name: 'TEST BANK' }) },
    },
  }));
  const asBefore = async () => {
    const unread = (json: string) =>
      `${json} = regexp_replace(${json}::text, ', "(bankName|country|account)": [^,}]+', '', 'g')::jsonb`;
    const set = [unread('payment_method'), unread('observations')].join(', ');
    await service.em.fork().execute(`update payments set ${set} where project_id = ?`, [scope.projectId]);
  };
  await record(charge(card), after(1));
  await asBefore();
  expect(await compare(charge(card))).toMatchObject([{ outcome: 'same' }]);
  await record(charge(bank), after(2));
  await asBefore();
  expect(await payments()).toMatchObject([{ paymentMethod: { last4: '6789', bankName: null } }]);
  expect(await compare(charge(bank))).toMatchObject([{ outcome: 'different', fields: [{ field: 'paymentMethod' }] }]);
  await record(charge(bank), after(3));
  expect(await compare(charge(bank))).toMatchObject([{ outcome: 'same' }]);
  expect(await payments()).toMatchObject([{ paymentMethod: { last4: '6789', bankName: 'TEST BANK' } }]);
});

it('finds a refund, a capture and a failure that no event told, and nothing that the record has beside the charge', async () => {
  const { charge, compare, record, scope, customer } = await startComparing();
  await record(charge({ captured: false, amount_captured: 0 }), after(1));
  const intent = paymentIntentObject({ customer: customer.processorCustomerId, amount_received: 2_000 });
  await service.deliver(routedEvent(scope, 'payment_intent.succeeded', intent, { createdAt: after(2) }));
  const captured = { captured: true, amount_captured: 2_000, amount_refunded: 999 };
  expect(await compare(charge(captured))).toMatchObject([{ outcome: 'same' }]);
  const refunded = charge({ ...captured, amount_refunded: 1_499 });
  expect(await compare(refunded)).toMatchObject([
    {
      outcome: 'different',
      fields: [
        { field: 'status', ours: 'succeeded', theirs: 'partially_refunded' },
        { field: 'amountRefunded', ours: 0, theirs: 500 },
      ],
    },
  ]);
  await record(refunded, after(9));
  expect(await compare(refunded)).toMatchObject([{ outcome: 'same' }]);
  // It fails later, and the charge counts it no more.
  const refund = refundObject({ amount: 500, status: 'failed', created: Math.floor(after(5).getTime() / 1_000) });
  await service.deliver(routedEvent(scope, 'refund.failed', refund, { createdAt: after(10) }));
  expect(await compare(charge(captured))).toMatchObject([{ outcome: 'same' }]);
});

it('leaves a charge of nobody to the project that its metadata names', async () => {
  const { charge, compare, scope } = await startComparing();
  expect(await compare(charge({ customer: null }))).toMatchObject([{ hasParent: false }]);
  const { projectId } = scope;
  expect(await compare(charge({ customer: null, metadata: { projectId } }))).toMatchObject([{ hasParent: true }]);
  expect(await compare(charge({ customer: 'cus_unknown' }))).toMatchObject([{ hasParent: false }]);
});

it('finds an invoice whose payment is not linked, and equal once it is', async () => {
  const { charge, compare, record, scope, payments, invoices, paidInvoice } = await startComparing();
  await record(charge(), after(1));
  await service.deliver(routedEvent(scope, 'invoice.updated', paidInvoice, { createdAt: after(1) }));
  const payment = { status: 'paid', payment: { type: 'payment_intent', payment_intent: 'pi_1' } };
  const open = { status: 'open', payment: { type: 'payment_intent', payment_intent: 'pi_2' } };
  const whole = {
    ...paidInvoice,
    id: 'in_1',
    payments: { object: 'list', data: [payment, open], has_more: false },
  };
  expect(await compare(whole, 'invoice')).toMatchObject([
    { outcome: 'different', fields: [{ field: 'payments', ours: [], theirs: ['pi_1', 'pi_2'] }] },
  ]);
  await service.deliver(routedEvent(scope, 'invoice.updated', whole, { createdAt: after(9) }));
  expect(await compare(whole, 'invoice')).toMatchObject([{ outcome: 'same' }]);
  expect(await payments()).toMatchObject([{ invoiceId: (await invoices())[0]?.['id'] }]);
});

it('finds nothing different in the charges of a payment that was tried more than once', async () => {
  const { charge, compare, record, payments } = await startComparing();
  const failed = { status: 'failed', failure_code: 'card_declined' };
  const [first, second] = [
    charge({ ...failed, id: 'ch_9', created: 1 }),
    charge({ ...failed, id: 'ch_1', created: 2 }),
  ];
  for (const one of [second, first]) await record(one, after(1));
  for (const one of [first, second]) expect(await compare(one)).toMatchObject([{ outcome: 'same' }]);
  expect(await payments()).toMatchObject([{ status: 'failed', processorChargeId: 'ch_1' }]);
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { InvoiceId, ProjectId } from '@billing/contracts/ids';
import { startBilling } from './start-billing.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const SETUP = { lines: [{ description: 'Setup', amount: 4_900 }], currency: 'usd' };
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  `${status} ${body.error?.code ?? 'done'}`;

/** A draft that is charged, or as the body says. */
async function startDraft({ card, ...body }: { card?: string | null; collect?: string; onFailure?: string } = {}) {
  const billing = await startBilling(service, card === undefined ? {} : { card });
  const { body: made } = await billing.create({ ...SETUP, draft: true, ...body });
  const get = async () =>
    (await service.call('GET', `/invoices/${made.invoice.id}`, { of: billing.scope })).body.invoice;
  return { ...billing, id: InvoiceId.schema.parse(made.invoice.id), invoice: made.invoice, get };
}

it('stays a draft until it is made final, and is charged then', async () => {
  const { id, invoice, finalize, atProcessor, get } = await startDraft();
  expect(invoice).toMatchObject({ status: 'draft', number: null, total: 4_900, amountDue: 4_900 });
  expect(await atProcessor(invoice)).toMatchObject({ status: 'draft', auto_advance: false });
  expect(await finalize(id)).toMatchObject({ status: 200, body: { invoice: { id, status: 'paid' } } });
  expect(await get()).toMatchObject({ status: 'paid', lines: [{ description: 'Setup', amount: 4_900 }] });
  expect(codeOf(await finalize(id))).toBe('422 invoice_not_draft');
});

it('is mailed when it is made final, if it was made to be sent', async () => {
  const { id, finalize, processorEvents } = await startDraft({ card: null, collect: 'invoice' });
  expect(await processorEvents('invoice.sent')).toEqual([]);
  expect(await finalize(id)).toMatchObject({ status: 200, body: { invoice: { status: 'open' } } });
  expect(await processorEvents('invoice.sent')).toHaveLength(1);
});

it.each([
  ['void', '422 payment_failed', 'void'],
  ['keep', '202 done', 'open'],
])('holds to onFailure %s when the card is declined then: %s', async (onFailure, outcome, status) => {
  const { id, finalize, get } = await startDraft({ card: 'pm_card_chargeCustomerFail', onFailure });
  expect(codeOf(await finalize(id))).toBe(outcome);
  expect(await get()).toMatchObject({ status });
});

it('stays a draft when it is made final without a payment method', async () => {
  const { id, finalize, get } = await startDraft({ card: null });
  expect(codeOf(await finalize(id))).toBe('422 payment_method_missing');
  expect(await get()).toMatchObject({ status: 'draft' });
});

it('is deleted, and no event brings it back', async () => {
  const { id, remove, finalize, invoices, made, deliverEvents } = await startDraft();
  expect(codeOf(await remove(id))).toBe('200 done');
  expect(await made()).toEqual([]);
  await deliverEvents();
  expect(await invoices()).toEqual([]);
  expect([codeOf(await remove(id)), codeOf(await finalize(id))]).toEqual(
    Array.from({ length: 2 }, () => '404 invoice_not_found'),
  );
});

it('is not deleted once it is final, also where only the processor knows that', async () => {
  const { id, invoice, remove } = await startDraft();
  await service.account.dashboard.invoices.finalizeInvoice(invoice.processorInvoiceId, {});
  expect(codeOf(await remove(id))).toBe('422 invoice_not_draft');
});

it('is sent again, and marked as paid, only where that fits', async () => {
  const sent = await startDraft({ card: null, collect: 'invoice' });
  expect([codeOf(await sent.send(sent.id)), codeOf(await sent.markPaid(sent.id))]).toEqual([
    '422 invoice_not_open',
    '422 invoice_not_open',
  ]);
  await sent.finalize(sent.id);
  expect(codeOf(await sent.send(sent.id))).toBe('200 done');
  expect(await sent.processorEvents('invoice.sent')).toHaveLength(2);
  const paid = await sent.markPaid(sent.id);
  expect(paid.body.invoice).toMatchObject({ status: 'paid', amountPaid: 4_900, amountRemaining: 0 });
  expect(await sent.atProcessor(sent.invoice)).toMatchObject({ status: 'paid' });
  expect(codeOf(await sent.markPaid(sent.id))).toBe('422 invoice_not_open');

  const kept = await startDraft({ card: 'pm_card_chargeCustomerFail', onFailure: 'keep' });
  await kept.finalize(kept.id);
  expect(codeOf(await kept.send(kept.id))).toBe('422 invoice_not_sendable');
  expect(codeOf(await kept.markPaid(kept.id))).toBe('200 done');
});

it('is in the audit log, with who made it final and who deleted it', async () => {
  const [first, second] = [await startDraft(), await startDraft()];
  await first.finalize(first.id);
  await second.remove(second.id);
  const entries = (await service.published(AuditRecorded)).map(({ data }) => data);
  const actionsOn = (id: string) => entries.filter(({ target }) => target?.id === id).map(({ action }) => action);
  expect(actionsOn(first.id)).toEqual(['createInvoice', 'finalizeInvoice']);
  expect(actionsOn(second.id)).toEqual(['createInvoice', 'deleteInvoice']);
});

it('is not found in another project', async () => {
  const { id, invoice, scope, atProcessor } = await startDraft();
  const of = { ...scope, projectId: ProjectId.create() };
  const responses = [
    await service.call('POST', `/invoices/${id}/finalize`, { of }),
    await service.call('POST', `/invoices/${id}/send`, { of }),
    await service.call('POST', `/invoices/${id}/mark-paid`, { of }),
    await service.call('DELETE', `/invoices/${id}`, { of }),
  ];
  expect(new Set(responses.map(codeOf))).toEqual(new Set(['404 invoice_not_found']));
  expect(await atProcessor(invoice)).toMatchObject({ status: 'draft' });
});

it('bills nobody of another project', async () => {
  const [{ customer, price }, other] = [await startBilling(service), await startBilling(service)];
  const lines = [{ priceId: price.id }];
  expect(codeOf(await other.create({ ...SETUP, customerId: customer.id }))).toBe('404 customer_not_found');
  expect(codeOf(await other.create({ lines }))).toBe('404 price_not_found');
});

it('leaves the drafts of subscriptions to the processor', async () => {
  const { subscribe, finalize, remove, deliverEvents, invoices } = await startBilling(service);
  const { processorId } = await subscribe();
  await service.account.dashboard.subscriptions.update(processorId, {
    pause_collection: { behavior: 'keep_as_draft' },
  });
  await service.control.renew(processorId);
  await deliverEvents();
  const draft = (await invoices()).find(({ status }) => status === 'draft');
  const id = InvoiceId.schema.parse(draft?.['id']);
  expect([codeOf(await finalize(id)), codeOf(await remove(id))]).toEqual(
    Array.from({ length: 2 }, () => '422 invoice_not_draft'),
  );
});

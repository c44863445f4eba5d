import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { InvoiceId, ProjectId, type ProjectScope } from '@billing/contracts/ids';
import type { Processor } from '@billing/processor/port';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { deliveredAgain } from '@billing/testing/processor-events';
import type { InvoiceChange } from '../src/money/invoice.rules.ts';
import { changeInvoice } from '../src/money/change-invoice.ts';
import { openSubscriptionsOperationLog } from '../src/open-operation-log.ts';
import { objectOf, startService, type Service } from './service.ts';
import { startPayment, subscribe } from './start-payment.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

const INVOICE_TYPES = [
  'invoice.finalized',
  'invoice.updated',
  'invoice.payment_failed',
  'invoice.marked_uncollectible',
  'invoice.voided',
  'invoice.paid',
] as const;

/** Records an open invoice: the customer's renewal was declined. */
async function startOpen() {
  const project = await startPayment(service);
  const { scope, customer, invoices } = project;
  await subscribe(service, project);
  const [subscription] = await service.processor.listSubscriptions(customer.processorCustomerId);
  await service.control.renew(subscription?.id ?? '', 'decline');
  const deliverEvents = async () => {
    for (const event of await service.account.events(scope, ...INVOICE_TYPES)) {
      if (objectOf(event)['customer'] === customer.processorCustomerId) await service.deliver(deliveredAgain(event));
    }
  };
  await deliverEvents();
  const open = (await invoices()).find(({ status }) => status === 'open');
  const id = InvoiceId.schema.parse(open?.['id']);
  const processorId = String(open?.['processorInvoiceId']);
  const at = `/invoices/${id}`;
  const change =
    (name: string) =>
    (headers: Record<string, string> = {}) =>
      service.call('POST', `${at}/${name}`, { of: scope, headers });
  return {
    ...project,
    id,
    processorId,
    deliverEvents,
    toVoid: change('void'),
    toUncollectible: change('mark-uncollectible'),
    retry: change('retry'),
    get: async () => (await service.call('GET', at, { of: scope })).body.invoice,
    atProcessor: () => service.processor.findInvoice(processorId),
  };
}

const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  `${status} ${body.error?.code ?? 'done'}`;

/** The events that tell that an invoice was paid. */
const paymentsOf = async (scope: ProjectScope, processorId: string) =>
  (await service.account.events(scope, 'invoice.paid')).filter(event => objectOf(event)['id'] === processorId);

/** Voids, marks or pays an invoice in a process whose calls to the processor are `calls`. */
function changeBy(change: InvoiceChange, calls: Partial<Processor>) {
  const processors = { of: async () => ({ ...service.processor, ...calls }) };
  const operationLog = openSubscriptionsOperationLog({ ...service, processors });
  return changeInvoice(change, { ...service, processors, operationLog });
}

it('marks an open invoice as uncollectible, and then voids it for good', async () => {
  const { id, scope, toVoid, toUncollectible, get, atProcessor, deliverEvents } = await startOpen();
  const marked = await toUncollectible();
  expect(marked.status).toBe(200);
  expect(marked.body.invoice).toMatchObject({ id, status: 'uncollectible', amountRemaining: 2_999 });
  expect(await get()).toMatchObject(marked.body.invoice);
  expect(codeOf(await toUncollectible())).toBe('422 invoice_not_open');
  const voided = await toVoid();
  expect(voided.body.invoice).toMatchObject({ id, status: 'void' });
  expect(await atProcessor()).toMatchObject({ status: 'void' });
  for (const again of [toVoid, toUncollectible]) expect(codeOf(await again())).toBe('422 invoice_not_open');
  await deliverEvents();
  expect(await get()).toMatchObject({ status: 'void' });

  const entries = (await service.published(AuditRecorded)).map(({ data }) => data);
  const target = { type: 'invoice', id };
  const status = (from: string, to: string) => [{ field: 'status', from, to }];
  expect(entries.filter(({ projectId }) => projectId === scope.projectId)).toMatchObject([
    { action: 'markInvoiceUncollectible', target, changes: status('open', 'uncollectible') },
    { action: 'voidInvoice', target, changes: status('uncollectible', 'void') },
  ]);
});

it('is voided once by twenty requests at once', async () => {
  const { toVoid, get, scope, processorId } = await startOpen();
  const key = { 'idempotency-key': randomUUID() };
  const requests = Array.from({ length: 20 }, (_, index) => toVoid(index % 2 === 0 ? key : {}));
  const codes = (await Promise.all(requests)).map(codeOf);
  for (const code of codes)
    expect(['200 done', '409 idempotency_key_in_use', '409 conflict', '422 invoice_not_open']).toContain(code);
  expect(codes).toContain('200 done');
  expect(await get()).toMatchObject({ status: 'void' });
  const voided = await service.account.events(scope, 'invoice.voided');
  expect(voided.filter(event => objectOf(event)['id'] === processorId)).toHaveLength(1);
}, 30_000);

it('is paid once by ten requests at once', async () => {
  const { retry, get, scope, processorId } = await startOpen();
  const key = { 'idempotency-key': randomUUID() };
  const codes = (await Promise.all(Array.from({ length: 10 }, (_, index) => retry(index % 2 === 0 ? key : {})))).map(
    codeOf,
  );
  for (const code of codes)
    expect(['200 done', '409 idempotency_key_in_use', '409 conflict', '422 invoice_not_open']).toContain(code);
  expect(codes).toContain('200 done');
  expect(await get()).toMatchObject({ status: 'paid' });
  expect(await paymentsOf(scope, processorId)).toHaveLength(1);
}, 30_000);

it('is paid once by a repeat when the processor’s response was lost', async () => {
  const { retry, get, scope, processorId } = await startOpen();
  const headers = { 'idempotency-key': randomUUID() };
  const path = `/v1/invoices/${processorId}/pay`;
  await service.control.fail({ method: 'POST', path, mode: 'done-but-response-lost', times: 99 });
  await retry(headers);
  await service.control.clearFaults();
  expect((await retry(headers)).body.invoice).toMatchObject({ status: 'paid' });
  expect(await get()).toMatchObject({ status: 'paid' });
  expect(await paymentsOf(scope, processorId)).toHaveLength(1);
});

it('is paid once by a repeat when the process died after the deed', async () => {
  const { get, id, scope, processorId } = await startOpen();
  const operationKey = randomUUID();
  const dying = changeBy('paid', {
    async payInvoice(...call) {
      await service.processor.payInvoice(...call);
      throw new Error('the process died');
    },
  });
  await expect(dying(scope, id, testAuditContext(), operationKey)).rejects.toThrow('died');
  await service.endLeases();
  expect(await changeBy('paid', {})(scope, id, testAuditContext(), operationKey)).toMatchObject({ status: 'paid' });
  expect(await get()).toMatchObject({ status: 'paid' });
  expect(await paymentsOf(scope, processorId)).toHaveLength(1);
});

it.each(['dropped', 'done-but-response-lost', '500-but-done'] as const)(
  'is voided by a repeat when the processor’s response was %s',
  async mode => {
    const { toVoid, get, atProcessor, processorId } = await startOpen();
    const key = { 'idempotency-key': randomUUID() };
    await service.control.fail({ method: 'POST', path: `/v1/invoices/${processorId}/void`, mode, times: 99 });
    await toVoid(key);
    await service.control.clearFaults();
    expect((await toVoid(key)).body.invoice).toMatchObject({ status: 'void' });
    expect(await atProcessor()).toMatchObject({ status: 'void' });
    expect(await get()).toMatchObject({ status: 'void' });
  },
);

it.each(['before', 'after'] as const)('is marked by a repeat when the process died %s the deed', async when => {
  const { scope, id, atProcessor } = await startOpen();
  const died = new Error('the process died');
  const dying = changeBy('uncollectible', {
    async markInvoiceUncollectible(...call) {
      if (when === 'after') await service.processor.markInvoiceUncollectible(...call);
      throw died;
    },
  });
  const operationKey = randomUUID();
  await expect(dying(scope, id, testAuditContext(), operationKey)).rejects.toBe(died);
  await service.endLeases();
  const living = changeBy('uncollectible', {});
  const repeat = () => living(scope, id, testAuditContext(), operationKey);
  expect([await repeat(), await repeat()]).toMatchObject([{ status: 'uncollectible' }, { status: 'uncollectible' }]);
  await expect(living(scope, id, testAuditContext())).rejects.toMatchObject({ code: 'invoice_not_open' });
  expect(await atProcessor()).toMatchObject({ status: 'uncollectible' });
});

it('stays paid when it is paid before the response about its marking is saved', async () => {
  const { scope, id, processorId, get, deliverEvents } = await startOpen();
  const overtaken = changeBy('uncollectible', {
    async markInvoiceUncollectible(...call) {
      const marked = await service.processor.markInvoiceUncollectible(...call);
      await service.account.dashboard.invoices.pay(processorId, { paid_out_of_band: true });
      await deliverEvents();
      return marked;
    },
  });
  expect(await overtaken(scope, id, testAuditContext())).toMatchObject({ status: 'paid' });
  expect(await get()).toMatchObject({ status: 'paid', amountRemaining: 0 });
});

it('is found out to be paid at the processor when the event of that was missed', async () => {
  const { processorId, toVoid, get } = await startOpen();
  await service.account.dashboard.invoices.pay(processorId, { paid_out_of_band: true });
  expect(codeOf(await toVoid())).toBe('422 invoice_not_open');
  expect(await get()).toMatchObject({ status: 'paid' });
});

it('stays as it is when the processor refuses for another reason', async () => {
  const { toVoid, get } = await startOpen();
  await service.control.fail({ method: 'POST', path: '/v1/invoices', mode: '400' });
  expect(codeOf(await toVoid())).toBe('502 processor_error');
  expect(await get()).toMatchObject({ status: 'open' });
  expect(codeOf(await toVoid())).toBe('200 done');
});

it('is not found in another project', async () => {
  const { id, scope, atProcessor } = await startOpen();
  const of = { ...scope, projectId: ProjectId.create() };
  const codes = [
    await service.call('GET', `/invoices/${id}`, { of }),
    await service.call('POST', `/invoices/${id}/void`, { of }),
    await service.call('POST', `/invoices/${id}/mark-uncollectible`, { of }),
    await service.call('POST', `/invoices/${id}/retry`, { of }),
  ].map(codeOf);
  expect(new Set(codes)).toEqual(new Set(['404 invoice_not_found']));
  expect(await atProcessor()).toMatchObject({ status: 'open' });
});

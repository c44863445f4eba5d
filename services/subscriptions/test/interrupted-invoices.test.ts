import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { invoiceCreate } from '@billing/contracts/resources/invoice-create';
import { withPriceIds } from '@billing/contracts/resources/price-reference';
import type { Processor } from '@billing/processor/port';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { createInvoice } from '../src/invoicing/create-invoice.ts';
import { finalizeInvoice } from '../src/invoicing/finalize-invoice.ts';
import {
  ALL_ENDS,
  dependenciesWith,
  interrupted as interruptedAt,
  repeated as repeatedIn,
  type End,
} from './interrupted-calls.ts';
import { startBilling } from './start-billing.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const DECLINED = 'pm_card_chargeCustomerFail';

type Step = 'createInvoice' | 'addInvoiceLines' | 'finalizeInvoice' | 'payInvoice' | 'sendInvoice' | 'voidInvoice';

const interrupted = (step: Step, end: End) => interruptedAt(service.processor, step, end);

/** The operations in a process with this processor. */
function processWith(processor: Processor) {
  const dependencies = dependenciesWith(service, processor);
  return { create: createInvoice(dependencies), finalize: finalizeInvoice(dependencies) };
}

const repeated = <Result>(request: () => Promise<Result>) => repeatedIn(service, request);

const STEPS: readonly (readonly [Step, Partial<Record<'collect' | 'card' | 'onFailure', string>>])[] = [
  ['createInvoice', {}],
  ['addInvoiceLines', {}],
  ['finalizeInvoice', {}],
  ['payInvoice', {}],
  ['sendInvoice', { collect: 'invoice' }],
];
const interruptions = STEPS.flatMap(([step, how]) => ALL_ENDS.map(end => [step, end, how] as const));

async function startWanted({ card = 'pm_card_visa', ...how }: (typeof STEPS)[number][1]) {
  const billing = await startBilling(service, { card });
  const { customer, scope } = billing;
  const lines = [{ description: 'Setup', amount: 4_900 }];
  const wanted = (more: object = {}) =>
    withPriceIds(invoiceCreate).parse({
      customerId: customer.id,
      lines,
      currency: 'usd',
      collect: 'saved',
      ...how,
      ...more,
    });
  const operationKey = randomUUID();
  return {
    ...billing,
    operationKey,
    bill: (processor: Processor, more?: object) =>
      processWith(processor).create(scope, wanted(more), testAuditContext(), operationKey),
  };
}

it.each(interruptions)('is one invoice when the processor’s %s %s', async (step, end, how) => {
  const { bill, made, invoices, deliverEvents, processorEvents } = await startWanted(how);
  const first = await bill(interrupted(step, end)).catch(() => undefined);
  const { invoice } = first ?? (await repeated(() => bill(service.processor)));
  const status = step === 'sendInvoice' ? 'open' : 'paid';
  expect(invoice).toMatchObject({ status, total: 4_900 });
  expect(await made()).toMatchObject([{ id: invoice.processorInvoiceId, status, total: 4_900 }]);
  expect(await processorEvents('invoice.payment_succeeded')).toHaveLength(status === 'paid' ? 1 : 0);
  await deliverEvents();
  expect(await invoices()).toMatchObject([{ id: invoice.id, status }]);
});

it.each(interruptions.filter(([, end]) => end !== 'fails before' && end !== 'fails after'))(
  'is finished without its caller when the processor’s %s %s',
  async (step, end, how) => {
    const { bill, made } = await startWanted(how);
    await bill(interrupted(step, end)).catch(() => undefined);
    await service.runOperations();
    expect(await made()).toMatchObject([{ status: step === 'sendInvoice' ? 'open' : 'paid', total: 4_900 }]);
    expect(await service.openOperations()).toEqual([]);
  },
);

it('leaves no draft when it is given up after a day', async () => {
  const { bill, made, invoices } = await startWanted({});
  await bill(interrupted('addInvoiceLines', 'dies before')).catch(() => undefined);
  expect(await made()).toMatchObject([{ status: 'draft' }]);
  await service.letPass('24 hours');
  await service.runOperations();
  await service.runOperations();
  expect(await made()).toEqual([]);
  expect(await invoices()).toEqual([]);
  expect(await service.openOperations()).toEqual([]);
});

it.each(ALL_ENDS)('is one void invoice when the processor’s payInvoice is declined and voidInvoice %s', async end => {
  const { bill, made } = await startWanted({ card: DECLINED });
  await bill(interrupted('voidInvoice', end)).catch(() => undefined);
  await expect(repeated(() => bill(service.processor))).rejects.toMatchObject({
    code: 'payment_failed',
  });
  const statuses = (await made()).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(['void']));
});

it.each((['finalizeInvoice', 'payInvoice'] as const).flatMap(step => ALL_ENDS.map(end => [step, end] as const)))(
  'is made final once from a draft when the processor’s %s %s',
  async (step, end) => {
    const { bill, made, scope } = await startWanted({});
    const { invoice: draft } = await bill(service.processor, { draft: true });
    const operationKey = randomUUID();
    const finalizeIn = (processor: Processor) =>
      processWith(processor).finalize(scope, draft.id, testAuditContext(), operationKey);
    const first = await finalizeIn(interrupted(step, end)).catch(() => undefined);
    const { invoice } = first ?? (await repeated(() => finalizeIn(service.processor)));
    expect(invoice).toMatchObject({ id: draft.id, status: 'paid' });
    expect(await made()).toMatchObject([{ status: 'paid' }]);
  },
);

it('is paid once when the customer pays on its page while it is charged', async () => {
  const { bill, made, processorEvents } = await startWanted({});
  const { processor, account } = service;
  const overtaken: Processor = {
    ...processor,
    payInvoice: async (id, key) => {
      await account.dashboard.invoices.pay(id);
      return processor.payInvoice(id, key);
    },
  };
  const { invoice, failure } = await bill(overtaken);
  expect({ status: invoice.status, failure }).toEqual({ status: 'paid', failure: null });
  expect(await made()).toMatchObject([{ status: 'paid' }]);
  expect(await processorEvents('invoice.payment_succeeded')).toHaveLength(1);
});

it('is paid, and not void, when the customer pays on its page after the saved card was declined', async () => {
  const { bill, made } = await startWanted({ card: DECLINED });
  const { processor, account } = service;
  const overtaken: Processor = {
    ...processor,
    voidInvoice: async (id, key) => {
      await account.dashboard.invoices.pay(id, { paid_out_of_band: true });
      return processor.voidInvoice(id, key);
    },
  };
  const { invoice, failure } = await bill(overtaken);
  expect({ status: invoice.status, failure }).toEqual({ status: 'paid', failure: null });
  expect(await made()).toMatchObject([{ status: 'paid' }]);
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { Problem } from '@billing/contracts/problem';
import type { Processor } from '@billing/processor/port';
import { subscriptionCancel } from '@billing/contracts/resources/subscription-cancel';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { cancelNow } from '../src/record/cancel-now.ts';
import { ALL_ENDS, dependenciesWith, interrupted, repeated } from './interrupted-calls.ts';
import { startService, type Service } from './service.ts';
import { subscribeToSeats } from './subscribe-to-seats.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const HOW = subscriptionCancel.parse({ prorate: true, invoiceNow: true, openInvoices: 'void' });

/** A subscription with a draft and an open invoice, whose cancellation credits the rest of its period. */
async function start() {
  const seats = await subscribeToSeats(service);
  const { dashboard } = service.account;
  const { id, scope, payer, processorId, invoicesAtProcessor, advance, deliver, decline } = seats;
  const pause_collection = { behavior: 'keep_as_draft' } as const;
  await dashboard.subscriptions.update(processorId, { pause_collection });
  await advance('2026-05-01T02:00:00.000Z');
  await dashboard.subscriptions.update(processorId, { pause_collection: '' });
  await decline();
  await advance('2026-06-01T02:00:00.000Z');
  await deliver();
  return {
    ...seats,
    cancel: (processor: Processor) =>
      cancelNow(dependenciesWith(service, processor))(scope, { id }, HOW, testAuditContext()),
    /** What is left at the processor: the final invoice first. */
    left: async () => {
      const customer = await dashboard.customers.retrieve(payer.id);
      const invoices = await invoicesAtProcessor();
      return {
        status: (await seats.atProcessor()).status,
        invoices: invoices.map(one => one.status),
        isCredited: !customer.deleted && customer.balance === invoices[0]?.total,
      };
    },
  };
}

const ENDED = { status: 'canceled', invoices: ['paid', 'void', 'void', 'paid'], isCredited: true };
const GONE = { invoices: [] };

/** A repeat of what an earlier run has done finds nothing. */
function goneOrThrow(error: unknown) {
  if (error instanceof Problem && error.code === 'subscription_not_found') return GONE;
  throw error;
}

const STEPS = ['listUnfinishedInvoices', 'cancelSubscription', 'finalizeInvoice', 'voidInvoice'] as const;
const interruptions = STEPS.flatMap(step => ALL_ENDS.map(end => [step, end] as const));

it.each(interruptions)('happens once when the processor’s %s %s', async (step, end) => {
  const { cancel, left, get, invoices, deliver } = await start();
  const first = await cancel(interrupted(service.processor, step, end)).catch(() => null);
  const again = first ?? (await repeated(service, () => cancel(service.processor)).catch(goneOrThrow));
  expect(again.invoices.map(one => one.outcome)).toEqual(again === GONE ? [] : ['voided', 'voided']);
  await service.runOperations();
  await service.runOperations();
  expect(await left()).toEqual(ENDED);
  expect(await service.openOperations()).toEqual([]);
  await deliver();
  expect(await get()).toMatchObject({ status: 'canceled' });
  expect((await invoices()).map(({ status }) => status)).toEqual(ENDED.invoices);
});

it.each(interruptions.filter(([step, end]) => step !== 'listUnfinishedInvoices' && !end.startsWith('fails')))(
  'is finished without its caller when the processor’s %s %s',
  async (step, end) => {
    const { cancel, left } = await start();
    await cancel(interrupted(service.processor, step, end)).catch(() => null);
    await service.runOperations();
    await service.runOperations();
    expect(await left()).toEqual(ENDED);
    expect(await service.openOperations()).toEqual([]);
  },
);

it('keeps an invoice that is paid while it is voided', async () => {
  const { cancel, left } = await start();
  const { processor, account } = service;
  let isFirst = true;
  const overtaken: Processor = {
    ...processor,
    voidInvoice: async (id, key) => {
      if (isFirst) await account.dashboard.invoices.pay(id, { paid_out_of_band: true });
      isFirst = false;
      return processor.voidInvoice(id, key);
    },
  };
  const outcomes = (await cancel(overtaken)).invoices.map(({ outcome }) => outcome);
  expect(new Set(outcomes)).toEqual(new Set(['paid', 'voided']));
  expect((await left()).invoices.filter(status => status === 'void')).toHaveLength(1);
});

it('voids an invoice while another change of it is under way', async () => {
  const { cancel, left, scope, invoices } = await start();
  const [open] = await invoices('?status=open');
  await service.control.fail({ path: '/v1/invoices', mode: 'dropped', times: 99 });
  expect((await service.call('POST', `/invoices/${String(open?.['id'])}/retry`, { of: scope })).status).toBe(503);
  await service.control.clearFaults();
  expect((await cancel(service.processor)).invoices.map(one => one.outcome)).toEqual(['voided', 'voided']);
  expect(await left()).toEqual(ENDED);
});

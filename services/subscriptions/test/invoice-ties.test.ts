import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Envelope } from '@billing/contracts/event';
import type { ProjectScope } from '@billing/contracts/ids';
import { routedEvent } from '@billing/testing/processor-events';
import { after } from './payloads.ts';
import { objectOf, startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';

let service: Service;
let invoice: OpenInvoice;
beforeAll(async () => {
  service = await startService();
  invoice = await createOpenInvoice();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

interface OpenInvoice {
  readonly processorCustomerId: string;
  /** As an event of the processor shows it. */
  readonly object: Readonly<Record<string, unknown>>;
}

/** Creates an invoice at the processor that could not be paid. */
async function createOpenInvoice(): Promise<OpenInvoice> {
  const { processor, control } = service;
  const { processorCustomerId: customerId } = await service.createCustomer();
  const { price } = await service.createPrice();
  const lines = [{ priceId: price.processorPriceId, quantity: 1 }];
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  const session = { mode: 'subscription', customerId, lines, ...urls, metadata: {} } as const;
  await control.checkout((await processor.createCheckoutSession(session, customerId)).id);
  const [subscription] = await processor.listSubscriptions(customerId);
  await control.renew(subscription?.id ?? '', 'decline');
  const [failure] = await service.account.events(service.scope, 'invoice.payment_failed');
  if (!failure) throw new Error('The renewal created no failed invoice.');
  return { processorCustomerId: customerId, object: objectOf(failure) };
}

/** An event of the invoice, all in the same second. */
const updated = (scope: ProjectScope, changes: Record<string, unknown>, eventId?: string): Envelope =>
  routedEvent(
    scope,
    'invoice.updated',
    { ...invoice.object, ...changes },
    { createdAt: after(1), ...(eventId !== undefined && { eventId }) },
  );

describe('different states of an invoice in one second', () => {
  it('lead to the state at the processor, in any order', async () => {
    const states = [{ number: 'A' }, {}, { number: 'B', amount_remaining: 1 }];
    const order = fc.shuffledSubarray([0, 1, 2, 0, 1, 2], { minLength: 6 });
    const { processorCustomerId, object } = invoice;
    await fc.assert(
      fc.asyncProperty(order, fc.boolean(), async (indexes, isBatch) => {
        const { scope, invoices } = await startProject(service, { processorCustomerId });
        const events = states.map(changes => updated(scope, changes));
        const delivered = indexes.flatMap(index => events[index] ?? []);
        if (isBatch) await service.deliver(...delivered);
        else for (const event of delivered) await service.deliver(event);
        expect(await invoices()).toMatchObject([
          { status: 'open', number: object['number'], amountRemaining: object['amount_remaining'] },
        ]);
      }),
      { numRuns: runs(15) },
    );
  });

  it('wait while the processor is unavailable, and then lead to its state', async () => {
    const { processorCustomerId, object } = invoice;
    const { scope, invoices } = await startProject(service, { processorCustomerId });
    await service.deliver(updated(scope, {}));
    const tie = updated(scope, { number: 'A' });
    await service.control.fail({ method: 'GET', path: '/v1/invoices/', mode: 'dropped', times: 20 });
    expect(await service.deliverOnce('subscriptions-invoices', tie)).toBe('redeliver');
    await service.control.clearFaults();
    await service.deliver(tie);
    expect(await invoices()).toMatchObject([{ number: object['number'] }]);
  });

  it.each([
    ['A', 'B'],
    ['B', 'A'],
  ])('lead to that of the later event id when the processor has no such invoice (%s, %s)', async (...numbers) => {
    const { processorCustomerId } = invoice;
    const { scope, invoices } = await startProject(service, { processorCustomerId });
    for (const number of numbers)
      await service.deliver(updated(scope, { id: 'in_deleted', number }, `evt_${number}_${scope.projectId}`));
    expect(await invoices()).toMatchObject([{ processorInvoiceId: 'in_deleted', number: 'B' }]);
  });
});

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CustomerCreated } from '@billing/contracts/events/customers';
import type { Envelope } from '@billing/contracts/event';
import { ProjectId, type ProjectScope } from '@billing/contracts/ids';
import { processorFact } from '@billing/testing/processor-events';
import { after } from './payloads.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

interface OpenInvoice {
  readonly processorCustomerId: string;
  /** As the processor's event showed it. */
  readonly object: Readonly<Record<string, unknown>>;
}

/** An invoice of the processor that could not be paid. */
async function anOpenInvoice(): Promise<OpenInvoice> {
  const { processor, control } = service;
  const { processorCustomerId: customerId } = await service.createCustomer();
  const { price } = await service.createPrice();
  const line = { priceId: price.processorPriceId, quantity: 1 };
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  const session = { mode: 'subscription', customerId, line, ...urls, metadata: {} } as const;
  await control.checkout((await processor.createCheckoutSession(session, customerId)).id);
  const [subscription] = await processor.listSubscriptions(customerId);
  await control.renew(subscription?.id ?? '', 'decline');
  const failures = (await service.processorEvents()).filter(({ type }) => type.includes('invoice.payment_failed'));
  const object = failures.map(objectOf).find(({ customer }) => customer === customerId);
  if (!object) throw new Error('The renewal made no invoice that failed.');
  return { processorCustomerId: customerId, object };
}

const objectOf = ({ data }: Envelope) => (data as { object: Record<string, unknown> }).object; // an event of the processor has one

async function aProject(processorCustomerId: string): Promise<ProjectScope> {
  const scope: ProjectScope = { ...service.scope, projectId: ProjectId.create() };
  const customer = await service.createCustomer(scope, processorCustomerId);
  await service.receive(service.tell(CustomerCreated, customer, scope));
  return scope;
}

async function shown(scope: ProjectScope) {
  const { body } = await service.call('GET', '/invoices', { of: scope });
  return body.invoices as readonly Record<string, unknown>[]; // what the test looks at
}

const told = (scope: ProjectScope, object: OpenInvoice['object'], changes: Record<string, unknown>) =>
  processorFact(scope, 'invoice.updated', { ...object, ...changes }, { createdAt: after(1) });

describe('an invoice of which two different states were told in one second', () => {
  it('is as the processor has it, in whatever order they come', async () => {
    const { processorCustomerId, object } = await anOpenInvoice();
    const states = [{ number: 'A' }, {}, { number: 'B', amount_remaining: 1 }];
    const order = fc.shuffledSubarray([0, 1, 2, 0, 1, 2], { minLength: 6 });
    await fc.assert(
      fc.asyncProperty(order, async indexes => {
        const scope = await aProject(processorCustomerId);
        const events = states.map(changes => told(scope, object, changes));
        for (const index of indexes) await service.receive(events[index] ?? never());
        expect(await shown(scope)).toMatchObject([
          { status: 'open', number: object['number'], amountRemaining: object['amount_remaining'] },
        ]);
      }),
      { numRuns: 10 },
    );
  }, 60_000);

  it('waits while the processor is away, and is as it has it afterwards', async () => {
    const { processorCustomerId, object } = await anOpenInvoice();
    const scope = await aProject(processorCustomerId);
    await service.receive(told(scope, object, {}));
    const doubtful = told(scope, object, { number: 'A' });
    const invoices = service.consumers.find(({ durable }) => durable === 'subscriptions-invoices') ?? never();
    await service.control.fail({ method: 'GET', path: '/v1/invoices/', mode: 'dropped', times: 20 });
    expect(await invoices.receive(doubtful, 1)).toMatchObject({ kind: 'again' });
    await service.control.clearFaults();
    await service.receive(doubtful);
    expect(await shown(scope)).toMatchObject([{ number: object['number'] }]);
  }, 60_000);

  it('is as the later event says when the processor has forgotten it', async () => {
    const { processorCustomerId, object } = await anOpenInvoice();
    for (const numbers of [
      ['A', 'B'],
      ['B', 'A'],
    ]) {
      const scope = await aProject(processorCustomerId);
      for (const number of numbers) {
        const gone = { ...object, id: 'in_gone', number };
        const eventId = `evt_${number}_${scope.projectId}`;
        await service.receive(processorFact(scope, 'invoice.updated', gone, { eventId, createdAt: after(1) }));
      }
      expect(await shown(scope)).toMatchObject([{ processorInvoiceId: 'in_gone', number: 'B' }]);
    }
  }, 60_000);
});

function never(): never {
  throw new Error('It was made above.');
}

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Stripe } from 'stripe';
import { checkoutCreate } from '@billing/contracts/resources/checkout';
import { withPriceIds } from '@billing/contracts/resources/price-reference';
import { ProcessorError } from '@billing/processor/errors';
import type { Processor } from '@billing/processor/port';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { sellAtOnce } from '../src/checkout/sell-at-once.ts';
import { ALL_ENDS, dependenciesWith, interrupted, repeated } from './interrupted-calls.ts';
import { startSale } from './start-sale.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const STEPS: readonly (readonly [keyof Processor, object])[] = [
  ['createSubscription', {}],
  ['createSubscription', { collect: 'invoice' }],
  ['finalizeInvoice', { collect: 'invoice' }],
  ['sendInvoice', { collect: 'invoice' }],
];
const interruptions = STEPS.flatMap(([step, how]) => ALL_ENDS.map(end => [step, end, how] as const));

async function startWanted(how: object) {
  const started = await startSale(service);
  const { scope, customer, price } = started;
  const wanted = withPriceIds(checkoutCreate).parse({
    customerId: customer.id,
    priceId: price.id,
    collect: 'saved',
    ...how,
  });
  const operationKey = randomUUID();
  return {
    ...started,
    sellBy: (processor: Processor) => {
      const sell = sellAtOnce(dependenciesWith(service, processor));
      return sell(scope, wanted, testAuditContext(), operationKey);
    },
  };
}

it.each(interruptions)(
  'is one subscription and one invoice when the processor’s %s %s (%o)',
  async (step, end, how) => {
    const { sellBy, sold, billed, subscriptions } = await startWanted(how);
    const first = await sellBy(interrupted(service.processor, step, end)).catch(() => undefined);
    const { subscription, invoice } = first ?? (await repeated(service, () => sellBy(service.processor)));
    const status = 'collect' in how ? 'open' : 'paid';
    expect(invoice).toMatchObject({ status, total: 2_999 });
    expect(await sold()).toMatchObject([{ id: subscription.processorSubscriptionId, status: 'active' }]);
    expect(await billed()).toMatchObject([{ id: invoice?.processorInvoiceId, status }]);
    expect(await subscriptions()).toMatchObject([{ id: subscription.id, status: 'active' }]);
  },
);

it('is sold when the processor refuses to mail the first invoice, which can be sent again', async () => {
  const { sellBy, sold } = await startWanted({ collect: 'invoice' });
  const refusal = { message: 'no', type: 'invalid_request_error', statusCode: 400 } as const;
  const sendInvoice = () =>
    Promise.reject(new ProcessorError('no', new Stripe.errors.StripeInvalidRequestError(refusal)));
  const { subscription, invoice } = await sellBy({ ...service.processor, sendInvoice });
  expect({ subscription, invoice }).toMatchObject({ subscription: { status: 'active' }, invoice: { status: 'open' } });
  expect(await sold()).toMatchObject([{ status: 'active' }]);
});

it('mails the first invoice once when an event overtakes the response', async () => {
  const { sellBy, scope } = await startWanted({ collect: 'invoice' });
  const sent: string[] = [];
  const { processor, account } = service;
  const overtaken: Processor = {
    ...processor,
    sendInvoice: (id, key) => {
      sent.push(id);
      return processor.sendInvoice(id, key);
    },
    findSubscription: async id => {
      const read = await processor.findSubscription(id);
      for (const event of await account.events(scope, 'customer.subscription.created')) await service.deliver(event);
      return read;
    },
  };
  expect(await sellBy(overtaken)).toMatchObject({ invoice: { status: 'open' } });
  expect(sent).toHaveLength(1);
});

it.each(interruptions.filter(([, end]) => !end.startsWith('fails')))(
  'is finished without its caller when the processor’s %s %s (%o)',
  async (step, end, how) => {
    const { sellBy, sold, billed } = await startWanted(how);
    await sellBy(interrupted(service.processor, step, end)).catch(() => undefined);
    await service.runOperations();
    expect(await sold()).toMatchObject([{ status: 'active' }]);
    expect(await billed()).toMatchObject([{ status: 'collect' in how ? 'open' : 'paid' }]);
    expect(await service.openOperations()).toEqual([]);
  },
);

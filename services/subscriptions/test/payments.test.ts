import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { routedEvent } from '@billing/testing/processor-events';
import { Payment } from '../src/persistence/payment.entity.ts';
import { after, chargeObject, paymentIntentObject } from './payloads.ts';
import { startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A project with one customer, and the events of one of its payment intents. No request shows payments. */
async function startPayment({ hasCopy = true } = {}) {
  const project = await startProject(service, { hasCopy });
  const { scope, customer } = project;
  const declined = paymentIntentObject({
    customer: customer.processorCustomerId,
    last_payment_error: { code: 'card_declined' },
  });
  return {
    ...project,
    event: (type: ProcessorEventType, at: Date) => routedEvent(scope, type, declined, { createdAt: at }),
    payments: () => service.em.fork().find(Payment, scope),
  };
}

it('records a failed payment, and then its success', async () => {
  const { event, payments, customer } = await startPayment();
  const payment = {
    customerId: customer.id,
    processorId: 'pi_1',
    kind: 'payment_intent',
    amount: 2_999,
    currency: 'usd',
  };
  await service.deliver(event('payment_intent.payment_failed', after(1)));
  expect(await payments()).toMatchObject([{ ...payment, status: 'failed', failureCode: 'card_declined' }]);
  await service.deliver(event('payment_intent.succeeded', after(3)));
  expect(await payments()).toMatchObject([{ ...payment, status: 'succeeded', failureCode: null }]);
});

it('leads to the same payment in every order of events', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
      fc.boolean(),
      fc.boolean(),
      async (order, isBatch, hasCopy) => {
        const { event, payments, customer } = await startPayment({ hasCopy });
        const events = [
          event('payment_intent.payment_failed', after(1)),
          event('payment_intent.payment_failed', after(2)),
          event('payment_intent.succeeded', after(3)),
          event('payment_intent.succeeded', after(3)),
        ];
        const delivered = order.flatMap(index => events[index] ?? []);
        if (isBatch) await service.deliver(...delivered);
        else for (const one of delivered) await service.deliver(one);
        expect(await payments()).toMatchObject([
          { customerId: customer.id, status: 'succeeded', failureCode: null, eventAt: after(3) },
        ]);
      },
    ),
    { numRuns: 10 },
  );
});

it('records a charge without a customer', async () => {
  const { scope, payments } = await startPayment();
  const charge = chargeObject({ customer: null, failure_code: 'expired_card' });
  await service.deliver(routedEvent(scope, 'charge.failed', charge));
  expect(await payments()).toMatchObject([
    { kind: 'charge', customerId: null, status: 'failed', failureCode: 'expired_card' },
  ]);
});

import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processorEvent, type ProcessorEventType } from '@billing/contracts/processor-events';
import type { Envelope } from '@billing/contracts/event';
import { deliveredAgain, routedEvent } from '@billing/testing/processor-events';
import {
  after,
  anInvoice,
  chargeObject,
  disputeObject,
  invoiceObject,
  paymentIntentObject,
  refundObject,
} from './payloads.ts';
import { objectOf, startService, type Service } from './service.ts';
import { startProject } from './start-project.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const OBJECTS = {
  payment_intent: paymentIntentObject,
  charge: chargeObject,
  'charge.dispute': disputeObject,
  'charge.refund': refundObject,
  refund: refundObject,
} as const;

/** A project with one customer, and the events of one payment. */
async function startPayment({ hasCopy = true } = {}) {
  const project = await startProject(service, { hasCopy });
  const { scope, customer } = project;
  return {
    ...project,
    event: (type: ProcessorEventType, at: Date, changes: Record<string, unknown> = {}): Envelope => {
      const kind = Object.keys(OBJECTS).findLast(name => type.startsWith(`${name}.`)) as keyof typeof OBJECTS; // a type of these tests
      const object = OBJECTS[kind]({
        ...(kind === 'charge' || kind === 'payment_intent' ? { customer: customer.processorCustomerId } : {}),
        ...changes,
      });
      return routedEvent(scope, type, object, { createdAt: at });
    },
    payments: async (query = ''): Promise<Record<string, unknown>[]> =>
      (await service.call('GET', `/payments${query}`, { of: scope })).body.payments,
  };
}

const groupSize = fc.integer({ min: 1, max: 13 });

/** Delivers events once more, so many together. */
async function deliverInGroups(events: readonly Envelope[], size: number): Promise<void> {
  const again = events.map(deliveredAgain);
  for (let start = 0; start < again.length; start += size) await service.deliver(...again.slice(start, start + size));
}

const DECLINED = { last_payment_error: { code: 'card_declined', message: 'Your card was declined.' } };

it('records a failed payment, and then its success, in full', async () => {
  const { event, payments, customer, scope } = await startPayment();
  await service.deliver(event('payment_intent.payment_failed', after(1), DECLINED));
  const payment = {
    id: expect.stringMatching(/^pay_/),
    processorPaymentIntentId: 'pi_1',
    processorChargeId: null,
    customerId: customer.id,
    invoiceId: null,
    amount: 2_999,
    amountRefunded: 0,
    currency: 'usd',
    projectId: scope.projectId,
    createdAt: after(0).toISOString(),
    updatedAt: expect.any(String),
  };
  const failure = { status: 'failed', failureCode: 'card_declined', failureMessage: 'Your card was declined.' };
  expect(await payments()).toEqual([{ ...payment, ...failure }]);
  await service.deliver(event('payment_intent.succeeded', after(3), DECLINED), event('charge.succeeded', after(3)));
  const success = { status: 'succeeded', failureCode: null, failureMessage: null, processorChargeId: 'ch_1' };
  expect(await payments()).toEqual([{ ...payment, ...success }]);
});

it('leads to the same payment in every order of events', async () => {
  const history = (event: Awaited<ReturnType<typeof startPayment>>['event']) => [
    event('payment_intent.payment_failed', after(1), DECLINED),
    event('charge.failed', after(1), { id: 'ch_0', status: 'failed', failure_code: 'card_declined' }),
    event('payment_intent.succeeded', after(2)),
    event('charge.succeeded', after(2)),
    event('charge.refunded', after(3), { amount_refunded: 1_000 }),
    event('charge.refunded', after(4), { amount_refunded: 2_000 }),
    event('refund.updated', after(5), { id: 're_2', status: 'failed' }),
    event('charge.dispute.created', after(6)),
    event('charge.dispute.closed', after(7), { status: 'won' }),
  ];
  const order = fc.shuffledSubarray([...Array(9).keys(), 0, 4, 6, 8], { minLength: 13 });
  await fc.assert(
    fc.asyncProperty(order, groupSize, fc.boolean(), async (indexes, size, hasCopy) => {
      const { event, payments, customer } = await startPayment({ hasCopy });
      const events = history(event);
      await deliverInGroups(
        indexes.flatMap(index => events[index] ?? []),
        size,
      );
      expect(await payments()).toMatchObject([
        {
          customerId: customer.id,
          processorChargeId: 'ch_1',
          status: 'partially_refunded',
          amountRefunded: 1_000,
          failureCode: null,
        },
      ]);
    }),
    { numRuns: runs(15) },
  );
});

it.each(['captured', 'canceled'] as const)('ends an authorization that is %s alike in every order', async end => {
  const held = { captured: false, amount_captured: 0 };
  const captured = { captured: true, amount_captured: 2_000, amount_refunded: 999 };
  const releases = { charge: 'ch_1', amount: 2_999, id: 're_release', created: 5 };
  const history = (event: Awaited<ReturnType<typeof startPayment>>['event']) => [
    event('charge.succeeded', after(1), held),
    event('payment_intent.amount_capturable_updated', after(1), { status: 'requires_capture' }),
    ...(end === 'captured'
      ? [
          event('charge.captured', after(2), captured),
          event('payment_intent.succeeded', after(2), { amount_received: 2_000 }),
          event('charge.refunded', after(4), { ...captured, amount_refunded: 1_499 }),
          event('charge.refunded', after(6), { ...captured, amount_refunded: 2_999, refunded: true }),
          event('refund.failed', after(7), { id: 're_2', amount: 1_500, status: 'failed' }),
        ]
      : [
          event('refund.created', after(5), releases),
          event('charge.refunded', after(5), { ...held, amount_refunded: 2_999, refunded: true }),
          event('charge.expired', after(5), held),
          event('payment_intent.canceled', after(5), { status: 'canceled' }),
        ]),
  ];
  const expected =
    end === 'captured'
      ? { status: 'partially_refunded', amount: 2_000, amountRefunded: 500 }
      : { status: 'canceled', amount: 2_999, amountRefunded: 0 };
  const length = end === 'captured' ? 7 : 6;
  const order = fc.shuffledSubarray([...Array(length).keys(), 0, 2, 4], { minLength: length + 3 });
  await fc.assert(
    fc.asyncProperty(order, groupSize, async (indexes, size) => {
      const { event, payments } = await startPayment();
      const events = history(event);
      await service.deliver(...events.slice(0, 2));
      expect(await payments()).toMatchObject([{ status: 'requires_capture', amount: 2_999, amountRefunded: 0 }]);
      await deliverInGroups(
        indexes.flatMap(index => events[index] ?? []),
        size,
      );
      expect(await payments()).toMatchObject([expected]);
    }),
    { numRuns: runs(5) },
  );
});

it.each(['refund.failed', 'charge.refund.updated'] as const)('takes a refund back that failed, by %s', async type => {
  const { event, payments } = await startPayment();
  await service.deliver(
    event('charge.succeeded', after(1)),
    event('charge.refunded', after(2), { amount_refunded: 2_999, refunded: true }),
  );
  expect(await payments()).toMatchObject([{ status: 'refunded', amountRefunded: 2_999 }]);
  await service.deliver(event(type, after(9), { amount: 2_999, status: 'failed' }));
  expect(await payments()).toMatchObject([{ status: 'succeeded', amountRefunded: 0 }]);
});

describe('a payment that is known only by its charge', () => {
  it('is recorded, also without a customer', async () => {
    const { event, payments } = await startPayment();
    const changes = { customer: null, payment_intent: null, status: 'failed', failure_code: 'expired_card' };
    await service.deliver(event('charge.failed', after(1), { ...changes, failure_message: 'Expired.' }));
    expect(await payments()).toMatchObject([
      {
        processorPaymentIntentId: null,
        processorChargeId: 'ch_1',
        customerId: null,
        status: 'failed',
        failureCode: 'expired_card',
        failureMessage: 'Expired.',
      },
    ]);
  });

  it('is disputed by an object that names only the charge', async () => {
    const { event, payments } = await startPayment();
    await service.deliver(event('charge.dispute.created', after(5), { payment_intent: null }));
    expect(await payments()).toEqual([]);
    await service.deliver(event('charge.succeeded', after(1), { payment_intent: null }));
    expect(await payments()).toMatchObject([{ status: 'disputed', processorPaymentIntentId: null }]);
  });
});

/** Has the customer pay a subscription at the processor; returns the routed events of that, by type. */
async function subscribe({ scope, customer }: Awaited<ReturnType<typeof startPayment>>) {
  const { price } = await service.createPrice({}, scope);
  const line = { priceId: price.processorPriceId, quantity: 1 };
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  const { processorCustomerId: customerId } = customer;
  const session = { mode: 'subscription', customerId, line, ...urls, metadata: {} } as const;
  const before = new Set((await service.account.events(scope)).map(eventIdOf));
  await service.control.checkout((await service.processor.createCheckoutSession(session, customerId)).id);
  const events = (await service.account.events(scope)).filter(event => !before.has(eventIdOf(event)));
  return (...types: ProcessorEventType[]) =>
    types.map(type => events.find(({ type: name }) => name === processorEvent(type).name) ?? fail(type));
}
const eventIdOf = ({ data }: Envelope): unknown => Reflect.get(Object(data), 'eventId');
const fail = (type: string): never => {
  throw new Error(`The processor sent no ${type}.`);
};

it('is refunded and disputed by objects that name only the charge of its payment intent', async () => {
  const { event, payments } = await startPayment();
  const unnamed = { payment_intent: null };
  await service.deliver(event('charge.succeeded', after(1)));
  await service.deliver(event('refund.created', after(2), unnamed));
  expect(await payments()).toMatchObject([{ status: 'partially_refunded', amountRefunded: 1_000 }]);
  await service.deliver(event('charge.dispute.created', after(3), unnamed));
  expect(await payments()).toMatchObject([{ status: 'disputed', processorPaymentIntentId: 'pi_1' }]);
});

it.each([true, false])(
  'reads the charge of an unknown payment that is refunded, its intent named: %s',
  async isNamed => {
    const project = await startPayment();
    const { scope, customer, payments } = project;
    const [succeeded] = (await subscribe(project))('charge.succeeded');
    const charge = succeeded && objectOf(succeeded);
    const ids = { charge: charge?.['id'], payment_intent: charge?.['payment_intent'] };
    await service.deliver(
      routedEvent(
        scope,
        'refund.updated',
        refundObject({ ...ids, ...(!isNamed && { payment_intent: null }), status: 'pending' }),
      ),
    );
    expect(await payments()).toMatchObject([
      {
        customerId: customer.id,
        processorChargeId: ids.charge,
        processorPaymentIntentId: ids.payment_intent,
        status: 'partially_refunded',
        amount: 2_999,
        amountRefunded: 1_000,
      },
    ]);
  },
);

it.each(['earlier', 'later'])('counts refunds of an unknown payment once when the %s one comes first', async first => {
  const project = await startPayment();
  const { scope, payments } = project;
  const [succeeded] = (await subscribe(project))('charge.succeeded');
  const charge = String(succeeded && objectOf(succeeded)['id']);
  const refund = async (amount: number, secondsAgo: number) => {
    const { lastResponse: _, ...made } = await service.account.dashboard.refunds.create({ charge, amount });
    const created = made.created - secondsAgo;
    return routedEvent(scope, 'refund.created', { ...made, created }, { createdAt: new Date(created * 1_000) });
  };
  const refunds = [await refund(400, 120), await refund(700, 60)];
  for (const event of first === 'earlier' ? refunds : refunds.toReversed()) await service.deliver(event);
  expect(await payments()).toMatchObject([{ status: 'partially_refunded', amountRefunded: 1_100 }]);
});

it.each(['old', 'new'] as const)('links the invoice, in the %s shape of payloads, in either order', async shape => {
  for (const isInvoiceFirst of [true, false]) {
    const { scope, customer, event, payments, invoices } = await startPayment();
    const invoice = anInvoice({ customer: customer.processorCustomerId, subscription: null, status: 'paid' });
    const listed = { object: 'list', data: [{ payment: { type: 'payment_intent', payment_intent: 'pi_1' } }] };
    const link = shape === 'old' ? { payment_intent: 'pi_1' } : { payments: listed };
    const paid = routedEvent(scope, 'invoice.paid', { ...invoiceObject(invoice, shape), ...link });
    const succeeded = event('payment_intent.succeeded', after(1));
    for (const one of isInvoiceFirst ? [paid, succeeded] : [succeeded, paid]) await service.deliver(one);
    const [recorded] = await invoices();
    expect(await payments()).toMatchObject([{ invoiceId: recorded?.['id'] }]);
  }
});

it.each(['invoice.paid', 'invoice_payment.paid'] as const)(
  'links the invoice by %s as the processor sends it, in either order',
  async type => {
    for (const isPaymentFirst of [true, false]) {
      const project = await startPayment();
      const [linking, succeeded, paid] = (await subscribe(project))(
        type,
        'payment_intent.succeeded',
        'invoice.updated',
      );
      if (!linking || !succeeded || !paid) throw new Error('An event is missing.');
      expect(objectOf(linking)).not.toHaveProperty('payments');
      for (const event of isPaymentFirst ? [succeeded, linking] : [linking, succeeded]) await service.deliver(event);
      await service.deliver(paid);
      const [invoice] = await project.invoices();
      expect(await project.payments()).toMatchObject([{ invoiceId: invoice?.['id'] }]);
      expect(invoice?.['id']).toBeTruthy();
    }
  },
);

it('links a payment that failed to its invoice, in either order', async () => {
  for (const isPaymentFirst of [true, false]) {
    const project = await startPayment();
    const { scope, customer, payments, invoices } = project;
    await subscribe(project);
    const [subscription] = await service.processor.listSubscriptions(customer.processorCustomerId);
    await service.control.renew(subscription?.id ?? '', 'decline');
    const lastOf = async (type: ProcessorEventType) => (await service.account.events(scope, type)).at(-1) ?? fail(type);
    const events = [await lastOf('payment_intent.payment_failed'), await lastOf('invoice.payment_failed')];
    for (const event of isPaymentFirst ? events : events.toReversed()) await service.deliver(event);
    const [invoice] = await invoices();
    expect(await payments()).toMatchObject([{ status: 'failed', invoiceId: invoice?.['id'] }]);
    expect(invoice).toMatchObject({ status: 'open' });
  }
});

it('links the payments that the event of an invoice cuts', async () => {
  const project = await startPayment();
  const [succeeded, paid] = (await subscribe(project))('payment_intent.succeeded', 'invoice.paid');
  if (!succeeded || !paid) throw new Error('An event is missing.');
  const payments = { object: 'list', data: [], has_more: true };
  await service.deliver(succeeded);
  expect(await project.payments()).toMatchObject([{ invoiceId: null }]);
  await service.deliver(routedEvent(project.scope, 'invoice.updated', { ...objectOf(paid), payments }));
  const [invoice] = await project.invoices();
  expect(await project.payments()).toMatchObject([{ invoiceId: invoice?.['id'] }]);
});

it('links the invoice that an old payload of the payment names', async () => {
  const { scope, customer, event, payments, invoices } = await startPayment();
  await service.deliver(event('charge.succeeded', after(1), { invoice: 'in_1' }));
  expect(await payments()).toMatchObject([{ invoiceId: null }]);
  const invoice = anInvoice({ customer: customer.processorCustomerId, subscription: null });
  await service.deliver(routedEvent(scope, 'invoice.finalized', invoiceObject(invoice)));
  expect(await payments()).toMatchObject([{ invoiceId: (await invoices())[0]?.['id'] }]);
});

describe('the list of payments', () => {
  it('filters by customer and status, newest first, in pages', async () => {
    const { event, payments, customer } = await startPayment();
    for (const [index, type] of (['charge.succeeded', 'charge.failed', 'charge.succeeded'] as const).entries()) {
      const created = Math.floor(after(index).getTime() / 1_000);
      await service.deliver(event(type, after(index), { id: `ch_${index}`, payment_intent: `pi_${index}`, created }));
    }
    const ids = async (query: string) => (await payments(query)).map(one => one['processorPaymentIntentId']);
    expect(await ids('')).toEqual(['pi_2', 'pi_1', 'pi_0']);
    expect(await ids('?limit=1&offset=1')).toEqual(['pi_1']);
    expect(await ids('?status=succeeded')).toEqual(['pi_2', 'pi_0']);
    expect(await ids(`?customerId=${customer.id}&status=failed`)).toEqual(['pi_1']);
    const other = await startPayment();
    expect(await ids(`?customerId=${other.customer.id}`)).toEqual([]);
    expect(await other.payments()).toEqual([]);
  });

  it('rejects an unknown status', async () => {
    expect((await service.call('GET', '/payments?status=nonsense')).body.error.code).toBe('validation_error');
  });
});

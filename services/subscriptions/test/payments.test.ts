import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Envelope } from '@billing/contracts/event';
import { deliveredAgain, routedEvent } from '@billing/testing/processor-events';
import { after, refundObject } from './payloads.ts';
import { objectOf, startService, type Service } from './service.ts';
import { startPayment, subscribe } from './start-payment.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const groupSize = fc.integer({ min: 1, max: 13 });

/** Delivers events once more, so many together. */
async function deliverInGroups(events: readonly Envelope[], size: number): Promise<void> {
  const again = events.map(deliveredAgain);
  for (let start = 0; start < again.length; start += size) await service.deliver(...again.slice(start, start + size));
}

const AMEX = { type: 'card', card: { brand: 'amex', last4: '0005' } };
const SEPA = { type: 'sepa_debit', sepa_debit: { last4: '3000', country: 'DE' } };
const NO_DETAILS = { bankName: null, country: null, account: null };
const DECLINED = {
  last_payment_error: { code: 'card_declined', message: 'Your card was declined.', payment_method: AMEX },
};

it('records a failed payment, and then its success, in full', async () => {
  const { event, payments, customer, scope } = await startPayment(service);
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
  const refused = { type: 'card', brand: 'amex', last4: '0005', ...NO_DETAILS };
  expect(await payments()).toEqual([{ ...payment, ...failure, paymentMethod: refused }]);
  await service.deliver(
    event('payment_intent.succeeded', after(3), DECLINED),
    event('charge.succeeded', after(3), { payment_method_details: SEPA }),
  );
  const success = { status: 'succeeded', failureCode: null, failureMessage: null, processorChargeId: 'ch_1' };
  const paymentMethod = { type: 'sepa_debit', brand: null, last4: '3000', ...NO_DETAILS, country: 'DE' };
  expect(await payments()).toEqual([{ ...payment, ...success, paymentMethod }]);
  // As a version left it that knew fewer fields.
  await service.em.fork().execute(
    `update payments set payment_method = payment_method - '{bankName,country,account}'::text[]
     where project_id = ?`,
    [scope.projectId],
  );
  expect(await payments()).toMatchObject([{ paymentMethod: { ...paymentMethod, country: null } }]);
});

it('leads to the same payment in every order of events', async () => {
  const history = (event: Awaited<ReturnType<typeof startPayment>>['event']) => [
    event('payment_intent.payment_failed', after(1), DECLINED),
    event('charge.failed', after(1), { id: 'ch_0', status: 'failed', failure_code: 'card_declined' }),
    event('payment_intent.succeeded', after(2)),
    event('charge.succeeded', after(2), { payment_method_details: SEPA }),
    event('charge.refunded', after(3), { amount_refunded: 1_000, payment_method_details: SEPA }),
    event('charge.refunded', after(4), { amount_refunded: 2_000, payment_method_details: SEPA }),
    event('refund.updated', after(5), { id: 're_2', status: 'failed' }),
    event('charge.dispute.created', after(6)),
    event('charge.dispute.closed', after(7), { status: 'won' }),
  ];
  const order = fc.shuffledSubarray([...Array(9).keys(), 0, 4, 6, 8], { minLength: 13 });
  await fc.assert(
    fc.asyncProperty(order, groupSize, fc.boolean(), async (indexes, size, hasCopy) => {
      const { event, payments, customer } = await startPayment(service, { hasCopy });
      const events = history(event);
      await deliverInGroups(
        indexes.flatMap(index => events[index] ?? []),
        size,
      );
      expect(await payments()).toMatchObject([
        {
          customerId: customer.id,
          processorChargeId: 'ch_1',
          paymentMethod: { type: 'sepa_debit', last4: '3000' },
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
      const { event, payments } = await startPayment(service);
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
  const { event, payments } = await startPayment(service);
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
    const { event, payments } = await startPayment(service);
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
    const { event, payments } = await startPayment(service);
    await service.deliver(event('charge.dispute.created', after(5), { payment_intent: null }));
    expect(await payments()).toEqual([]);
    await service.deliver(event('charge.succeeded', after(1), { payment_intent: null }));
    expect(await payments()).toMatchObject([{ status: 'disputed', processorPaymentIntentId: null }]);
  });
});

it('is refunded and disputed by objects that name only the charge of its payment intent', async () => {
  const { event, payments } = await startPayment(service);
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
    const project = await startPayment(service);
    const { scope, customer, payments } = project;
    const [succeeded] = (await subscribe(service, project))('charge.succeeded');
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
  const project = await startPayment(service);
  const { scope, payments } = project;
  const [succeeded] = (await subscribe(service, project))('charge.succeeded');
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

describe('the list of payments', () => {
  it('filters by customer and status, newest first, in pages', async () => {
    const { event, payments, customer } = await startPayment(service);
    for (const [index, type] of (['charge.succeeded', 'charge.failed', 'charge.succeeded'] as const).entries()) {
      const created = Math.floor(after(index).getTime() / 1_000);
      await service.deliver(event(type, after(index), { id: `ch_${index}`, payment_intent: `pi_${index}`, created }));
    }
    const ids = async (query: string) => (await payments(query)).map(one => one['processorPaymentIntentId']);
    expect(await ids('')).toEqual(['pi_2', 'pi_1', 'pi_0']);
    expect(await ids('?limit=1&offset=1')).toEqual(['pi_1']);
    expect(await ids('?status=succeeded')).toEqual(['pi_2', 'pi_0']);
    expect(await ids(`?customerId=${customer.id}&status=failed`)).toEqual(['pi_1']);
    const other = await startPayment(service);
    expect(await ids(`?customerId=${other.customer.id}`)).toEqual([]);
    expect(await other.payments()).toEqual([]);
  });

  it('rejects an unknown status', async () => {
    expect((await service.call('GET', '/payments?status=nonsense')).body.error.code).toBe('validation_error');
  });
});

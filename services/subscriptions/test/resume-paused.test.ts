import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { SubscriptionId } from '@billing/contracts/ids';
import { subscriptionResume } from '@billing/contracts/resources/subscription-pause';
import type { Processor } from '@billing/processor/port';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { resume } from '../src/plan-changes/resume.ts';
import { ALL_ENDS, dependenciesWith, interrupted, repeated } from './interrupted-calls.ts';
import { startService, type Service } from './service.ts';
import { subscribeToSeats } from './subscribe-to-seats.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

/** 5 seats of 12.00 a month since 1 April, with the status `paused`, on 13 April. */
async function start(options: Parameters<typeof subscribeToSeats>[1] = {}, status: 'paused' | 'active' = 'paused') {
  const seats = await subscribeToSeats(service, options);
  if (status === 'paused') await service.control.pause(seats.processorId);
  await seats.deliver();
  const { id, scope } = seats;
  const post =
    (path: string) =>
    (body: object = {}, headers: Record<string, string> = {}) =>
      service.call('POST', `/subscriptions/${id}/${path}`, { of: scope, body, headers });
  return {
    ...seats,
    resume: post('resume'),
    previewResume: post('resume/preview'),
    pause: post('pause'),
    statuses: async () => (await seats.invoicesAtProcessor()).map(one => one.status),
  };
}

describe('a paused subscription', () => {
  it('goes on in its period, of which the rest is charged', async () => {
    const { resume: send, previewResume, get, deliver, updates } = await start();
    const before = (await updates()).length;
    const { preview } = (await previewResume()).body;
    expect(preview).toMatchObject({ currency: 'usd', amountDue: 3_523, exact: false });
    const { body } = await send({ expectedAmountDue: 3_523 });
    expect(body.subscription).toMatchObject({ status: 'active', currentPeriodEnd: '2026-05-01T00:00:00.000Z' });
    expect(body.invoice).toMatchObject({ status: 'paid', amountPaid: 3_523 });
    await deliver();
    expect(await get()).toMatchObject({ status: 'active' });
    expect((await updates()).slice(before)).toMatchObject([
      { type: 'subscription.updated', cause: { type: 'api', requestId: 'req_test' } },
    ]);
  });

  it('begins a new period', async () => {
    const { resume: send, previewResume } = await start();
    const restart = { billingCycle: 'restart' };
    expect((await previewResume(restart)).body.preview).toMatchObject({ amountDue: 6_000, exact: true });
    const { body } = await send(restart);
    expect(body.subscription).toMatchObject({ status: 'active', currentPeriodEnd: '2026-05-13T09:17:31.000Z' });
    expect(body.invoice).toMatchObject({ amountPaid: 6_000 });
  });

  it('is previewed by the state at the processor, which events have not told yet', async () => {
    const { previewResume, processorId } = await start();
    await service.account.dashboard.subscriptions.cancel(processorId);
    const { status, body } = await previewResume();
    expect([status, body.error.code]).toEqual([422, 'subscription_ended']);
  });

  it('stays paused, with a void invoice, when the payment fails', async () => {
    const { resume: send, decline, get, statuses, deliver } = await start();
    await decline();
    const { status, body } = await send();
    expect([status, body.error.code, body.error.details]).toEqual([
      422,
      'payment_failed',
      { reason: 'declined', declineCode: null },
    ]);
    await deliver();
    expect(await get()).toMatchObject({ status: 'paused' });
    expect(await statuses()).toEqual(['void', 'paid']);
  });

  it('says that the bank wants the customer to confirm the payment', async () => {
    const { resume: send, authenticate, statuses } = await start();
    await authenticate();
    expect((await send()).body.error.details).toEqual({ reason: 'authentication_required', declineCode: null });
    expect(await statuses()).toEqual(['void', 'paid']);
  });

  it('is not charged more than expected', async () => {
    const { resume: send, get, statuses } = await start();
    const { status, body } = await send({ expectedAmountDue: 3_522 });
    expect([status, body.error.code]).toEqual([409, 'amount_changed']);
    expect(body.error.details).toEqual({ expected: 3_522, actual: 3_523 });
    expect(await statuses()).toEqual(['paid']);
    expect((await get()).status).toBe('paused');
    expect((await send({ expectedAmountDue: 3_600 })).status).toBe(200);
  });

  it('is charged once under one Idempotency-Key', async () => {
    const { resume: send, statuses } = await start();
    const headers = { 'idempotency-key': randomUUID() };
    const responses = [await send({}, headers), await send({}, headers)];
    expect(responses.map(one => one.status)).toEqual([200, 200]);
    expect(responses[1]?.body).toEqual(responses[0]?.body);
    expect(await statuses()).toEqual(['paid', 'paid']);
  });

  it('leaves an entry in the audit log, also when it is not resumed', async () => {
    const { resume: send, id } = await start();
    await send();
    const entries = (await service.published(AuditRecorded))
      .map(({ data }) => data)
      .filter(one => one.target?.id === id);
    expect(entries).toMatchObject([
      { action: 'resumeSubscription', changes: [{ field: 'status', from: 'paused', to: 'active' }] },
    ]);
  });

  it('comes to what its preview says, to the cent', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 100, max: 9_999 }),
        fc.integer({ min: 1, max: 30 }),
        fc.date({ min: new Date('2026-04-14'), max: new Date('2026-06-12'), noInvalidDate: true }),
        fc.constantFrom(0, -1_234, 400),
        fc.constantFrom('keep', 'restart'),
        async (unitAmount, quantity, at, balance, billingCycle) => {
          const paused = await start({ items: [{ unitAmount, quantity }] });
          const { payer, advance, resume: send, previewResume, deliver } = paused;
          await advance(at);
          await deliver();
          if (balance !== 0)
            await service.account.dashboard.customers.createBalanceTransaction(payer.id, {
              amount: balance,
              currency: 'usd',
            });
          const second = () => Math.floor(Date.now() / 1_000);
          const previewedAt = second();
          const { preview } = (await previewResume({ billingCycle })).body;
          const { invoice } = (await send({ billingCycle, expectedAmountDue: preview.amountDue })).body;
          const { amountDue, total, subtotal } = preview;
          // What is left of the period is prorated by the second: another one may be another cent.
          fc.pre(second() === previewedAt);
          expect(invoice).toMatchObject({ status: 'paid', amountDue, total, subtotal });
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

describe('paused payments', () => {
  it('are resumed without a charge', async () => {
    const { pause, resume: send, previewResume, statuses } = await start({}, 'active');
    await pause();
    expect((await previewResume()).body.preview).toMatchObject({ amountDue: 0, lines: [], exact: true });
    const { body } = await send({ expectedAmountDue: 0 });
    expect(body).toMatchObject({ subscription: { paused: null }, invoice: null });
    expect(await statuses()).toEqual(['paid']);
  });

  it('begin no new period', async () => {
    const { pause, resume: send, previewResume } = await start({}, 'active');
    await pause();
    for (const response of [await send({ billingCycle: 'restart' }), await previewResume({ billingCycle: 'restart' })])
      expect([response.status, response.body.error.code]).toEqual([400, 'validation_error']);
  });
});

it('is refused, and not previewed, without a pause', async () => {
  const { resume: send, previewResume } = await start({}, 'active');
  for (const response of [await send(), await previewResume()])
    expect([response.status, response.body.error.code]).toEqual([422, 'not_paused']);
});

it('is refused when the processor has resumed it meanwhile', async () => {
  const { resume: send, processorId } = await start();
  await service.account.dashboard.subscriptions.resume(processorId);
  const response = await send();
  expect([response.status, response.body.error.code]).toEqual([422, 'not_paused']);
});

it.each([{ billingCycle: 'later' }, { expectedAmountDue: 'all' }, { priceId: null }])(
  'is refused with an invalid body: %j',
  async body => {
    const { resume: send, get } = await start();
    expect((await send(body)).status).toBe(400);
    expect((await get()).status).toBe('paused');
  },
);

describe.each(ALL_ENDS)('a resumption whose resumeSubscription %s', end => {
  async function startChange() {
    const started = await start();
    const [key, operationKey] = [{ id: SubscriptionId.schema.parse(started.id) }, randomUUID()];
    const send = (processor: Processor) =>
      resume(dependenciesWith(service, processor))(
        started.scope,
        key,
        subscriptionResume.parse({}),
        testAuditContext(),
        operationKey,
      );
    return { ...started, send };
  }

  it('is charged once, and its repeat under the same key gets the same result', async () => {
    const { send, statuses, get, deliver } = await startChange();
    await send(interrupted(service.processor, 'resumeSubscription', end)).catch(() => undefined);
    const { subscription, invoice } = await repeated(service, () => send(service.processor));
    expect([subscription.status, invoice?.amountPaid]).toEqual(['active', 3_523]);
    await deliver();
    expect(await get()).toMatchObject({ status: 'active' });
    expect(await statuses()).toEqual(['paid', 'paid']);
    expect(await service.openOperations()).toEqual([]);
  });

  it('is voided once when its payment fails', async () => {
    const { send, statuses, decline, deliver, get } = await startChange();
    await decline();
    await send(interrupted(service.processor, 'voidInvoice', end)).catch(() => undefined);
    await expect(repeated(service, () => send(service.processor))).rejects.toMatchObject({ code: 'payment_failed' });
    await deliver();
    expect(await get()).toMatchObject({ status: 'paused' });
    expect(new Set((await statuses()).slice(0, -1))).toEqual(new Set(['void']));
  });
});

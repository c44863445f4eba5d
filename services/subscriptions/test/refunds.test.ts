import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { PaymentId, ProjectId } from '@billing/contracts/ids';
import type { Processor } from '@billing/processor/port';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { idOfMirrored } from '@billing/service/derived-id';
import { deliveredAgain, routedEvent } from '@billing/testing/processor-events';
import { openSubscriptionsOperationLog } from '../src/open-operation-log.ts';
import { refundPayment } from '../src/money/refund-payment.ts';
import { refundObject } from './payloads.ts';
import { startService, type Service } from './service.ts';
import { startPayment, subscribe } from './start-payment.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

/** Records a payment of 29.99 that a customer made at the processor. */
async function startPaid() {
  const project = await startPayment(service);
  const { scope, payments } = project;
  const paid = await subscribe(service, project);
  await service.deliver(...paid('payment_intent.succeeded', 'charge.succeeded', 'invoice.paid'));
  const [payment] = await payments();
  const id = PaymentId.schema.parse(payment?.['id']);
  const intent = String(payment?.['processorPaymentIntentId']);
  const at = `/payments/${id}`;
  const known = new Set((await service.account.events(scope)).map(({ id: event }) => event));
  return {
    ...project,
    id,
    intent,
    chargeId: String(payment?.['processorChargeId']),
    refund: (body?: object, headers: Record<string, string> = {}) =>
      service.call('POST', `${at}/refund`, { of: scope, headers, ...(body !== undefined && { body }) }),
    get: async () => (await service.call('GET', at, { of: scope })).body.payment,
    atProcessor: async () => (await service.account.dashboard.refunds.list({ payment_intent: intent })).data,
    /** Delivers what the processor sent since the payment. */
    deliverEvents: async () => {
      const events = await service.account.events(scope, 'refund.created', 'refund.updated', 'charge.refunded');
      for (const event of events.filter(({ id: sent }) => !known.has(sent)))
        await service.deliver(deliveredAgain(event));
    },
  };
}

const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  `${status} ${body.error?.code ?? 'done'}`;

/** The refund, made by a process whose calls to the processor are `calls`. */
function refundBy(calls: Partial<Processor>) {
  const processors = { of: async () => ({ ...service.processor, ...calls }) };
  const operationLog = openSubscriptionsOperationLog({ ...service, processors });
  return refundPayment({ ...service, processors, operationLog });
}

describe('a refund', () => {
  it('of a part, and then of the rest, is made at the processor and recorded', async () => {
    const { refund, get, atProcessor, deliverEvents, scope, id } = await startPaid();
    const part = await refund({ amount: 1_000, reason: 'duplicate' });
    expect(part.status).toBe(201);
    expect(part.body.payment).toMatchObject({ id, status: 'partially_refunded', amount: 2_999, amountRefunded: 1_000 });
    expect(await get()).toEqual(part.body.payment);
    expect(await atProcessor()).toMatchObject([{ amount: 1_000, reason: 'duplicate' }]);
    expect(codeOf(await refund({ amount: 2_000 }))).toBe('422 refund_too_large');

    const rest = await refund();
    expect(rest.body.payment).toMatchObject({ status: 'refunded', amountRefunded: 2_999 });
    expect(await atProcessor()).toMatchObject([{ amount: 1_999, reason: null }, { amount: 1_000 }]);
    expect(codeOf(await refund({ amount: 1 }))).toBe('422 payment_not_refundable');
    await deliverEvents();
    expect(await get()).toMatchObject({ status: 'refunded', amountRefunded: 2_999 });

    const entries = (await service.published(AuditRecorded)).map(({ data }) => data);
    const target = { type: 'payment', id };
    expect(entries.filter(({ projectId }) => projectId === scope.projectId)).toMatchObject([
      {
        action: 'refundPayment',
        target,
        changes: [
          { field: 'amountRefunded', from: 0, to: 1_000 },
          { field: 'reason', from: null, to: 'duplicate' },
        ],
      },
      { action: 'refundPayment', target, changes: [{ field: 'amountRefunded', from: 1_000, to: 2_999 }] },
    ]);
  });

  it('counts once when its events come before the response is saved', async () => {
    const { scope, id, get, deliverEvents, atProcessor } = await startPaid();
    const refund = refundBy({
      async createRefund(...call) {
        const made = await service.processor.createRefund(...call);
        await deliverEvents();
        return made;
      },
    });
    expect(await refund(scope, id, { amount: 700 }, testAuditContext())).toMatchObject({ amountRefunded: 700 });
    await deliverEvents();
    expect(await get()).toMatchObject({ status: 'partially_refunded', amountRefunded: 700 });
    expect(await atProcessor()).toHaveLength(1);
  });

  it('is made once by twenty requests at once, with one key or none', async () => {
    const { refund, get, atProcessor } = await startPaid();
    const key = { 'idempotency-key': randomUUID() };
    const sameKey = await Promise.all(Array.from({ length: 20 }, () => refund({ amount: 100 }, key)));
    for (const response of sameKey) expect(['201 done', '409 idempotency_key_in_use']).toContain(codeOf(response));
    expect(codeOf(await refund({ amount: 100 }, key))).toBe('201 done');
    expect(await atProcessor()).toMatchObject([{ amount: 100 }]);

    const whole = (await Promise.all(Array.from({ length: 20 }, () => refund({})))).map(codeOf);
    expect(whole.filter(code => code === '201 done')).toHaveLength(1);
    for (const code of whole) expect(['201 done', '422 payment_not_refundable', '409 conflict']).toContain(code);
    expect(await atProcessor()).toMatchObject([{ amount: 2_899 }, { amount: 100 }]);
    expect(await get()).toMatchObject({ status: 'refunded', amountRefunded: 2_999 });
  }, 30_000);

  it.each(['dropped', 'done-but-response-lost', '500-but-done'] as const)(
    'is made once by a repeat when the processor’s response was %s',
    async mode => {
      const { refund, get, atProcessor } = await startPaid();
      const key = { 'idempotency-key': randomUUID() };
      await service.control.fail({ method: 'POST', path: '/v1/refunds', mode, times: 99 });
      await refund({ amount: 500 }, key);
      await service.control.clearFaults();
      expect((await refund({ amount: 500 }, key)).body.payment.amountRefunded).toBe(500);
      expect(await atProcessor()).toMatchObject([{ amount: 500 }]);
      expect(await get()).toMatchObject({ amountRefunded: 500 });
    },
  );

  it.each(['before', 'after'] as const)('is made once by a repeat when the process died %s the deed', async when => {
    const { scope, id, refund, get, atProcessor } = await startPaid();
    const died = new Error('the process died');
    const dying = refundBy({
      async createRefund(...call) {
        if (when === 'after') await service.processor.createRefund(...call);
        throw died;
      },
    });
    const operationKey = randomUUID();
    await expect(dying(scope, id, {}, testAuditContext(), operationKey)).rejects.toBe(died);
    await service.endLeases();
    const living = refundBy({});
    const repeat = () => living(scope, id, {}, testAuditContext(), operationKey);
    expect([await repeat(), await repeat()]).toMatchObject([{ amountRefunded: 2_999 }, { amountRefunded: 2_999 }]);
    expect(await atProcessor()).toMatchObject([{ amount: 2_999 }]);
    // Another request is another refund.
    expect(codeOf(await refund({}))).toBe('422 payment_not_refundable');
    expect(await get()).toMatchObject({ status: 'refunded', amountRefunded: 2_999 });
  });
});

describe('a refund of a payment that was changed at the processor meanwhile', () => {
  const dashboard = () => service.account.dashboard;

  it('is too large beside a refund at the dashboard, and takes what is left without an amount', async () => {
    const { refund, get, intent, deliverEvents } = await startPaid();
    await dashboard().refunds.create({ payment_intent: intent, amount: 1_000 });
    const tooLarge = await refund({ amount: 2_500 });
    expect(codeOf(tooLarge)).toBe('422 refund_too_large');
    expect(tooLarge.body.error.details).toEqual({ refundable: 1_999 });
    expect(await get()).toMatchObject({ status: 'partially_refunded', amountRefunded: 1_000 });
    await dashboard().refunds.create({ payment_intent: intent, amount: 99 });
    expect((await refund({})).status).toBe(201);
    await deliverEvents();
    expect(await get()).toMatchObject({ status: 'refunded', amountRefunded: 2_999 });
  });

  it('is refused once all is refunded there, or the bank has it back, and nothing is refunded twice', async () => {
    const refunded = await startPaid();
    await dashboard().refunds.create({ payment_intent: refunded.intent });
    expect(codeOf(await refunded.refund({ amount: 5 }))).toBe('422 payment_not_refundable');
    expect(await refunded.get()).toMatchObject({ status: 'refunded', amountRefunded: 2_999 });
    expect(await refunded.atProcessor()).toHaveLength(1);

    const disputed = await startPaid();
    await service.control.openDispute(disputed.chargeId);
    expect(codeOf(await disputed.refund({}))).toBe('422 payment_not_refundable');
    expect(await disputed.atProcessor()).toEqual([]);
  });
});

it('says what the processor said when it refuses for another reason, and refunds nothing', async () => {
  const { refund, get, atProcessor } = await startPaid();
  await service.control.fail({ method: 'POST', path: '/v1/refunds', mode: '400' });
  const refused = await refund({});
  expect(codeOf(refused)).toBe('502 processor_error');
  expect(await get()).toMatchObject({ status: 'succeeded', amountRefunded: 0 });
  expect(await atProcessor()).toEqual([]);
  expect(codeOf(await refund({}))).toBe('201 done');
});

it('finds no payment of another project, and none of which only a refund is known', async () => {
  const { id, scope, atProcessor } = await startPaid();
  const other = { ...scope, projectId: ProjectId.create() };
  const path = `/payments/${id}`;
  expect(codeOf(await service.call('GET', path, { of: other }))).toBe('404 payment_not_found');
  expect(codeOf(await service.call('POST', `${path}/refund`, { of: other, body: {} }))).toBe('404 payment_not_found');
  expect(await atProcessor()).toEqual([]);

  const intent = `pi_${randomUUID()}`;
  await service.deliver(routedEvent(scope, 'refund.created', refundObject({ payment_intent: intent, charge: null })));
  const unknown = idOfMirrored(PaymentId, scope, intent);
  for (const response of [
    await service.call('GET', `/payments/${unknown}`, { of: scope }),
    await service.call('POST', `/payments/${unknown}/refund`, { of: scope, body: {} }),
  ])
    expect(codeOf(response)).toBe('404 payment_not_found');
});

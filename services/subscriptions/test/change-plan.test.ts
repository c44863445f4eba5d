import { storedPaymentMethod } from '@billing/contracts/resources/payment';
import { planChange } from '@billing/contracts/resources/plan-change';
import { withPriceIds } from '@billing/contracts/resources/price-reference';
import type { Processor } from '@billing/processor/port';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changePlan } from '../src/plan-changes/change-plan.ts';
import { openSubscriptionsOperationLog } from '../src/open-operation-log.ts';
import { startService, type Service } from './service.ts';
import { expectEqual, subscribeToSeats } from './subscribe-to-seats.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

const subscribe = (options?: Parameters<typeof subscribeToSeats>[1]) => subscribeToSeats(service, options);

describe('a change now', () => {
  it('is charged as it was previewed, and told once with what was before', async () => {
    const subscribed = await subscribe();
    const { preview, change, updates, invoicesOfChanges } = subscribed;
    const { prorationDate, amountDue } = (await preview({ quantity: 8 })).body.preview;
    const before = (await updates()).length;
    const { status, body } = await change({ quantity: 8, prorationDate, expectedAmountDue: amountDue });
    expect([status, amountDue]).toEqual([200, 2_113]);
    expect(body.change).toMatchObject({ status: 'applied', items: [{ quantity: 8 }], effectiveAt: prorationDate });
    expect(body.invoice).toMatchObject({ status: 'paid', amountPaid: 2_113, billingReason: 'subscription_update' });
    expect(body.subscription).toMatchObject({ quantity: 8, pendingChange: null, metadata: {} });
    await expectEqual(subscribed);
    const told = (await updates()).slice(before);
    expect(told).toMatchObject([{ type: 'subscription.updated', previousAttributes: { quantity: 5 } }]);
    expect(await invoicesOfChanges()).toHaveLength(1);
  });

  it('has no invoice when it is billed with the next one', async () => {
    const { change } = await subscribe();
    const { body } = await change({ quantity: 8, proration: 'create_prorations' });
    expect(body).toMatchObject({ change: { status: 'applied' }, invoice: null, subscription: { quantity: 8 } });
  });

  it('keeps the cancellation, the metadata and the quantity', async () => {
    const subscribed = await subscribe({ more: { metadata: { crm: '7' }, cancel_at_period_end: true } });
    const { priceId } = await subscribed.createPrice({ unitAmount: 2_000 }).then(({ id }) => ({ priceId: id }));
    const { body } = await subscribed.change({ priceId });
    expect(body.subscription).toMatchObject({ priceId, quantity: 5, cancelAtPeriodEnd: true, metadata: { crm: '7' } });
    await expectEqual(subscribed);
  });

  it.each([0, 2_000_000])('keeps a quantity of %i that was set at the processor', async quantity => {
    const subscribed = await subscribe({ items: [{ unitAmount: 1, quantity }] });
    const { scope, customer, createPrice } = subscribed;
    const { id: priceId } = await createPrice({ unitAmount: 2 });
    const change = changePlan({ ...service, operationLog: openSubscriptionsOperationLog(service) });
    const byCustomer = { id: subscribed.id, customerId: customer.id };
    const wanted = { ...withPriceIds(planChange).parse({ priceId }), quantity };
    const made = await change(scope, byCustomer, wanted, testAuditContext());
    expect(made.change).toMatchObject({ status: 'applied', items: [{ priceId, quantity }] });
    await expectEqual(subscribed);
  });

  it('leaves an open invoice when the customer is not charged automatically', async () => {
    const subscribed = await subscribe({ more: { collection_method: 'send_invoice', days_until_due: 30 } });
    const [first] = await subscribed.invoicesAtProcessor();
    if (first?.status === 'draft') await service.account.dashboard.invoices.finalizeInvoice(first.id ?? '');
    const { status, body } = await subscribed.change({ quantity: 8 });
    expect([status, body.change.status, body.subscription.quantity]).toEqual([200, 'applied', 8]);
    await expectEqual(subscribed);
  });

  it('is not made for another amount than expected, nor by an old preview', async () => {
    const { change, preview, advance, invoicesOfChanges, atProcessor } = await subscribe();
    const { prorationDate } = (await preview({ quantity: 8 })).body.preview;
    const dearer = await change({ quantity: 8, prorationDate, expectedAmountDue: 2_112 });
    expect([dearer.status, dearer.body.error]).toMatchObject([
      409,
      { code: 'amount_changed', details: { expected: 2_112, actual: 2_113 } },
    ]);
    await advance('2026-04-13T09:32:32Z');
    const late = await change({ quantity: 8, prorationDate, expectedAmountDue: 2_113 });
    expect([late.status, late.body.error.code]).toEqual([409, 'preview_expired']);
    expect(await invoicesOfChanges()).toEqual([]);
    expect((await atProcessor()).items).toMatchObject([{ quantity: 5 }]);
  });

  it('is to be previewed again when the period ends before it is made', async () => {
    const subscribed = await subscribe();
    const { id, scope, advance, invoicesOfChanges } = subscribed;
    const processors = {
      of: async (): Promise<Processor> => ({
        ...service.processor,
        changeSubscription: async (...args) => {
          await advance('2026-05-01T02:00:00Z');
          return service.processor.changeSubscription(...args);
        },
      }),
    };
    const operationLog = openSubscriptionsOperationLog({ ...service, processors });
    const made = changePlan({ ...service, processors, operationLog })(
      scope,
      { id },
      withPriceIds(planChange).parse({ quantity: 8 }),
      testAuditContext(),
    );
    await expect(made).rejects.toMatchObject({ code: 'conflict' });
    expect(await invoicesOfChanges()).toEqual([]);
    await subscribed.deliver();
    await expectEqual(subscribed);
  });

  it('to a new period may cost what the time since the preview explains, and no more', async () => {
    const subscribed = await subscribe({ items: [{ unitAmount: 2_999_00 }] });
    const { change, preview, advance, createPrice } = subscribed;
    const yearly = await createPrice({ unitAmount: 29_900_00, interval: 'year' });
    const { exact, amountDue, prorationDate } = (await preview({ priceId: yearly.id })).body.preview;
    expect([exact, prorationDate]).toEqual([false, null]);
    await advance('2026-04-13T09:25:00Z');
    const cheap = await change({ priceId: yearly.id, expectedAmountDue: amountDue - 1_000 });
    expect([cheap.status, cheap.body.error.code]).toEqual([409, 'amount_changed']);
    const { status, body } = await change({ priceId: yearly.id, expectedAmountDue: amountDue });
    expect([status, body.invoice.amountPaid > amountDue]).toEqual([200, true]);
    await expectEqual(subscribed);
  });
});

describe('a change that is not paid', () => {
  it.each([
    ['declined', 'decline'],
    ['authentication_required', 'authenticate'],
  ] as const)('waits, %s, and applies when it is paid', async (reason, fail) => {
    const subscribed = await subscribe();
    await subscribed[fail]();
    const { status, body } = await subscribed.change({ quantity: 8 });
    expect([status, body.change.status, body.change.effectiveAt]).toEqual([202, 'pending_payment', null]);
    expect(body.invoice).toMatchObject({ status: 'open', amountDue: 2_113 });
    const pendingChange = {
      id: body.change.id,
      items: [{ priceId: subscribed.price.id, quantity: 8 }],
      amountDue: 2_113,
      reason,
      hostedInvoiceUrl: body.invoice.hostedInvoiceUrl,
      expiresAt: '2026-04-14T08:17:31.000Z',
    };
    expect(body.subscription).toMatchObject({ status: 'active', quantity: 5, pendingChange });
    const state = await service.call('GET', `/customers/${subscribed.customer.id}/state`, { of: subscribed.scope });
    expect(state.body.state).toMatchObject({
      payment: { status: 'ok', amountDue: 0 },
      subscriptions: [{ pendingChange }],
    });
    expect((await subscribed.published()).at(-1)?.data).toMatchObject({ items: [{ quantity: 5 }] });
    await expectEqual(subscribed);
    await subscribed.decline(false);
    await subscribed.pay();
    await subscribed.deliver();
    expect(await subscribed.get()).toMatchObject({ quantity: 8, pendingChange: null });
    expect(await subscribed.invoicesOfChanges()).toMatchObject([{ status: 'paid' }]);
  });

  it('waits for another reason when the next attempt to pay it fails for that', async () => {
    const subscribed = await subscribe();
    await subscribed.decline();
    expect((await subscribed.change({ quantity: 8 })).body.subscription.pendingChange.reason).toBe('declined');
    await subscribed.authenticate();
    await expect(subscribed.pay()).rejects.toThrow('refused');
    await subscribed.deliver();
    expect((await subscribed.get()).pendingChange.reason).toBe('authentication_required');
    await expectEqual(subscribed);
  });

  it('changes nothing when it may not wait', async () => {
    const subscribed = await subscribe();
    await subscribed.decline();
    const { status, body } = await subscribed.change({ quantity: 8, paymentBehavior: 'error_if_incomplete' });
    expect([status, body.error]).toMatchObject([422, { code: 'payment_failed', details: { reason: 'declined' } }]);
    expect(await subscribed.invoicesOfChanges()).toEqual([]);
    await expectEqual(subscribed);
  });

  it('may not wait for another method of payment than a card', async () => {
    const { id, scope, decline, atProcessor } = await subscribe();
    await decline();
    const customerDefault = {
      ...storedPaymentMethod.parse({ type: 'sepa_debit', brand: null, last4: null }),
      id: 'pm_1',
    };
    const methods = {
      customerDefault: { ...customerDefault, expiry: null },
      ofSubscriptions: new Map(),
      byInvoice: new Set<string>(),
    };
    const processors = { of: async () => ({ ...service.processor, findPaymentMethods: async () => methods }) };
    const operationLog = openSubscriptionsOperationLog({ ...service, processors });
    const change = changePlan({ ...service, processors, operationLog });
    const made = change(scope, { id }, withPriceIds(planChange).parse({ quantity: 8 }), testAuditContext());
    await expect(made).rejects.toMatchObject({ code: 'payment_failed' });
    expect(await atProcessor()).toMatchObject({ items: [{ quantity: 5 }], pendingUpdate: null });
  });

  it('waits or changes nothing when the customer of a free plan has no payment method', async () => {
    const subscribed = await subscribe({ items: [{ unitAmount: 0 }] });
    const { payer, change, drop, createPrice } = subscribed;
    const { dashboard } = service.account;
    for (const { id } of (await dashboard.paymentMethods.list({ customer: payer.id })).data)
      await dashboard.paymentMethods.detach(id);
    const { id: priceId } = await createPrice({ unitAmount: 999 });
    const { status, body } = await change({ priceId, paymentBehavior: 'error_if_incomplete' });
    expect([status, body.error]).toMatchObject([422, { code: 'payment_failed', details: { reason: 'declined' } }]);
    expect(await subscribed.invoicesOfChanges()).toEqual([]);
    await expectEqual(subscribed);
    expect(await change({ priceId })).toMatchObject({
      status: 202,
      body: { subscription: { pendingChange: { amountDue: 999, hostedInvoiceUrl: expect.any(String) } } },
    });
    await drop();
    await expectEqual(subscribed);
  });

  it('is dropped with its invoice by a DELETE, once', async () => {
    const subscribed = await subscribe();
    expect((await subscribed.drop()).body.error.code).toBe('change_not_found');
    await subscribed.decline();
    await subscribed.change({ quantity: 8 });
    const { status, body } = await subscribed.drop();
    expect([status, body.subscription]).toMatchObject([200, { quantity: 5, pendingChange: null }]);
    expect((await subscribed.drop()).status).toBe(404);
    expect(await subscribed.invoicesOfChanges()).toMatchObject([{ status: 'void' }]);
    expect(await subscribed.invoices('?status=void')).toHaveLength(1);
    await expectEqual(subscribed);
  });

  it('is dropped by its end', async () => {
    const subscribed = await subscribe();
    await subscribed.decline();
    await subscribed.change({ quantity: 8 });
    await subscribed.advance('2026-04-14T09:00:00Z');
    await subscribed.deliver();
    expect(await subscribed.get()).toMatchObject({ quantity: 5, pendingChange: null });
    await expectEqual(subscribed);
  });

  it('is voided by the next change', async () => {
    const subscribed = await subscribe();
    await subscribed.decline();
    const first = await subscribed.change({ quantity: 8 });
    await subscribed.decline(false);
    const second = await subscribed.change({ quantity: 9 });
    expect([second.status, second.body.subscription]).toMatchObject([200, { quantity: 9, pendingChange: null }]);
    expect(first.body.invoice.id).not.toBe(second.body.invoice.id);
    expect((await subscribed.invoicesOfChanges()).map(({ status }) => status)).toEqual(['paid', 'void']);
    expect(await subscribed.invoices('?status=void')).toHaveLength(1);
    await expectEqual(subscribed);
  });

  it('stays when it is paid before it is dropped', async () => {
    const subscribed = await subscribe();
    await subscribed.decline();
    await subscribed.change({ quantity: 8 });
    await subscribed.decline(false);
    await subscribed.pay();
    expect((await subscribed.drop()).status).toBe(404);
    expect(await subscribed.get()).toMatchObject({ quantity: 8, pendingChange: null });
    await expectEqual(subscribed);
  });
});

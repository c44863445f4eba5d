import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startBilling } from './start-billing.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

const DECLINED = 'pm_card_chargeCustomerFail';
const SETUP = { description: 'Setup', amount: 4_900 };

it('charges the saved payment method, with prices, products and amounts in one invoice', async () => {
  const { create, price, product, atProcessor, invoices, customer } = await startBilling(service);
  const lines = [
    { priceId: price.id, quantity: 2 },
    { productId: product.id, unitAmount: 1_000, quantity: 3, description: 'Hours' },
    { description: 'Goodwill', amount: -500 },
  ];
  const { status, body } = await create({ lines, memo: 'Thank you', footer: 'Net 30', purchaseOrder: '2026-17' });
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      invoice: {
        customerId: customer.id,
        subscriptionId: null,
        status: 'paid',
        billingReason: 'manual',
        currency: 'usd',
        total: 2 * 2_999 + 3_000 - 500,
        amountPaid: 2 * 2_999 + 3_000 - 500,
        purchaseOrder: '2026-17',
        dueDate: null,
      },
    },
  });
  expect(await atProcessor(body.invoice)).toMatchObject({
    description: 'Thank you',
    footer: 'Net 30',
    auto_advance: false,
    collection_method: 'charge_automatically',
  });
  expect(await invoices()).toMatchObject([{ id: body.invoice.id, status: 'paid' }]);
});

it('has an invoice mailed once, due when the request says', async () => {
  const { create, atProcessor, processorEvents } = await startBilling(service, { card: null });
  const { body } = await create({ lines: [SETUP], currency: 'usd', collect: 'invoice', daysUntilDue: 7 });
  expect(body.invoice).toMatchObject({ status: 'open', amountDue: 4_900, dueDate: expect.any(String) });
  expect(await atProcessor(body.invoice)).toMatchObject({ collection_method: 'send_invoice', auto_advance: false });
  expect(await processorEvents('invoice.sent')).toHaveLength(1);
});

it('is paid at once with nothing due, without a payment method', async () => {
  const { create } = await startBilling(service, { card: null });
  const free = await create({ lines: [{ description: 'Free setup', amount: 0 }], currency: 'usd' });
  expect(free).toMatchObject({ status: 201, body: { invoice: { status: 'paid', amountDue: 0 } } });
});

it('makes no draft without a payment method', async () => {
  const { create, processorEvents } = await startBilling(service, { card: null });
  const { status, body } = await create({ lines: [SETUP], currency: 'usd' });
  expect({ status, code: body.error?.code }).toEqual({ status: 422, code: 'payment_method_missing' });
  expect(await processorEvents('invoice.created')).toEqual([]);
});

it.each([undefined, 'void'] as const)('voids the invoice of a declined card, with onFailure %s', async onFailure => {
  const { create, made, invoices, deliverEvents } = await startBilling(service, { card: DECLINED });
  const { status, body } = await create({ lines: [SETUP], currency: 'usd', onFailure });
  expect({ status, error: body.error }).toMatchObject({
    status: 422,
    error: { code: 'payment_failed', details: { reason: 'declined' } },
  });
  expect(await made()).toMatchObject([{ status: 'void' }]);
  await deliverEvents();
  expect(await invoices()).toMatchObject([{ status: 'void' }]);
});

it('keeps the invoice of a declined card open where the request says so, and has it collected', async () => {
  const { create, made } = await startBilling(service, { card: DECLINED });
  const { status, body } = await create({ lines: [SETUP], currency: 'usd', onFailure: 'keep' });
  const hostedInvoiceUrl = expect.stringMatching(/^http/);
  expect({ status, invoice: body.invoice }).toMatchObject({
    status: 202,
    invoice: { status: 'open', hostedInvoiceUrl },
  });
  expect(await made()).toMatchObject([{ status: 'open', auto_advance: true }]);
});

it('bills nothing when it comes to another amount than the caller has seen', async () => {
  const { create, made } = await startBilling(service);
  const { status, body } = await create({ lines: [SETUP], currency: 'usd', expectedAmountDue: 4_800 });
  expect({ status, error: body.error }).toMatchObject({
    status: 409,
    error: { code: 'amount_changed', details: { expected: 4_800, actual: 4_900 } },
  });
  expect(await made()).toEqual([]);
  expect(await create({ lines: [SETUP], currency: 'usd', expectedAmountDue: 4_900 })).toMatchObject({ status: 201 });
});

it('redeems no promotion code for another amount than the caller has seen', async () => {
  const { create, scope, processorEvents } = await startBilling(service);
  const { promotionCode } = await service.createPromotionCode({ coupon: { duration: 'once' } }, scope);
  const wanted = { lines: [SETUP], currency: 'usd', promotionCode: promotionCode.code, expectedAmountDue: 4_900 };
  expect(await create(wanted)).toMatchObject({ status: 409, body: { error: { details: { actual: 2_450 } } } });
  expect(await processorEvents('invoice.created')).toEqual([]);
});

it('is neither previewed nor billed with tax that cannot be computed', async () => {
  const { create, preview, made } = await startBilling(service, { card: null });
  const wanted = { lines: [SETUP], currency: 'usd', automaticTax: true, collect: 'invoice' };
  for (const { status, body } of [await preview(wanted), await create(wanted)])
    expect({ status, code: body.error?.code }).toEqual({ status: 422, code: 'tax_location_invalid' });
  expect(await made()).toEqual([]);
});

it.each([
  ['total_negative', { lines: [SETUP, { description: 'Back', amount: -5_000 }], currency: 'usd' }],
  ['currency_mismatch', { lines: ['price'], currency: 'eur' }],
  ['price_type_mismatch', { lines: ['recurring'] }],
  ['price_inactive', { lines: ['inactive'] }],
] as const)('is refused with %s, and leaves no draft', async (code, wanted) => {
  const { create, made, price, newPrice } = await startBilling(service);
  const named = async (line: (typeof wanted.lines)[number]) => {
    if (typeof line !== 'string') return line;
    const other = line === 'price' ? { price } : await newPrice(line);
    return { priceId: other.price.id };
  };
  const lines = await Promise.all(wanted.lines.map(named));
  const { status, body } = await create({ ...wanted, lines });
  expect({ status, code: body.error?.code }).toEqual({ status: 422, code });
  expect(await made()).toEqual([]);
});

it('bills what waits for the next invoice of a subscription with that alone', async () => {
  const { create, preview, item, subscribe } = await startBilling(service);
  const subscription = await subscribe();
  await item(subscription.id, SETUP);
  const wanted = { lines: [{ description: 'Hours', amount: 1_000 }], currency: 'usd' };
  expect((await preview(wanted)).body.preview).toMatchObject({ total: 1_000, lines: [{ amount: 1_000 }] });
  expect((await create(wanted)).body.invoice).toMatchObject({ total: 1_000 });
});

it('charges what the subscription is charged to when the customer has no default', async () => {
  const { create, subscribe, made } = await startBilling(service, { card: null });
  await subscribe();
  expect(await create({ lines: [SETUP], currency: 'usd' })).toMatchObject({ status: 201 });
  expect(await made()).toMatchObject([{ status: 'paid', default_payment_method: expect.any(String) }]);
});

it('is in another currency than the subscription of the customer, whose next invoice stays as it is', async () => {
  const { create, subscribe, invoices, deliverEvents } = await startBilling(service);
  const { processorId } = await subscribe();
  const { status, body } = await create({ lines: [SETUP], currency: 'eur' });
  expect({ status, invoice: body.invoice }).toMatchObject({ status: 201, invoice: { currency: 'eur', total: 4_900 } });
  await service.control.renew(processorId);
  await deliverEvents();
  const renewed = (await invoices()).filter(({ billingReason }) => billingReason === 'subscription_cycle');
  expect(renewed).toMatchObject([{ currency: 'usd', total: 2_999, status: 'paid' }]);
});

it('is one invoice for twenty requests under one key', async () => {
  const { create, made } = await startBilling(service);
  const headers = { 'idempotency-key': randomUUID() };
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => create({ lines: [SETUP], currency: 'usd' }, headers)),
  );
  const statuses = responses.map(({ status, body }) => body.error?.code ?? status);
  for (const status of statuses) expect([201, 'idempotency_key_in_use']).toContain(status);
  expect(statuses).toContain(201);
  expect(await made()).toMatchObject([{ status: 'paid' }]);
});

it('tells tenants of the invoice and its payment, without lines and order number', async () => {
  const { create, publicEvents, deliverEvents } = await startBilling(service);
  await create({ lines: [SETUP], currency: 'usd', purchaseOrder: '2026-17' });
  await deliverEvents();
  const events = await publicEvents();
  expect(events.map(({ type }) => type)).toEqual(['invoice.created', 'invoice.paid']);
  for (const { data } of events)
    for (const field of ['lines', 'purchaseOrder', 'customerTaxIds']) expect(data).not.toHaveProperty(field);
});

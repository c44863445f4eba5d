import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startSale } from './start-sale.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  `${status} ${body.error?.code ?? 'done'}`;

it('charges the saved card, and returns the subscription and its paid invoice', async () => {
  const { sell, price, customer, subscriptions, publicEvents } = await startSale(service);
  const { status, body } = await sell({ quantity: 2, metadata: { plan: 'team' } });
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      sessionId: null,
      url: null,
      subscription: {
        customerId: customer.id,
        status: 'active',
        priceId: price.id,
        quantity: 2,
        metadata: { plan: 'team' },
      },
      invoice: { status: 'paid', total: 5_998, billingReason: 'subscription_create' },
    },
  });
  expect(body.subscription.metadata).toEqual({ plan: 'team' });
  expect(await subscriptions()).toMatchObject([{ id: body.subscription.id, status: 'active' }]);
  expect((await publicEvents()).map(({ type }) => type)).toEqual(
    expect.arrayContaining(['subscription.created', 'invoice.paid']),
  );
});

it('bills one-time prices once, with the first invoice', async () => {
  const { sell, price, newPrice, atProcessor } = await startSale(service);
  const { price: setup } = await newPrice({ recurring: false, unitAmount: 4_900 });
  const { body } = await sell({ items: [{ priceId: price.id }, { priceId: setup.id, quantity: 2 }] });
  expect(body.invoice).toMatchObject({ status: 'paid', total: 2_999 + 9_800 });
  expect((await atProcessor(body.subscription)).items.data).toHaveLength(1);
});

it('has the first invoice mailed at once, with its due date', async () => {
  const { sell, sold } = await startSale(service, { card: null });
  const { status, body } = await sell({ collect: 'invoice', daysUntilDue: 14 });
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      subscription: { status: 'active' },
      invoice: { status: 'open', amountDue: 2_999, dueDate: expect.any(String) },
    },
  });
  expect(await sold()).toMatchObject([{ collection_method: 'send_invoice', days_until_due: 14 }]);
  const sent = (await service.account.dashboard.events.list({ type: 'invoice.sent' })).data;
  expect(sent.map(({ data: { object } }) => Reflect.get(object, 'id'))).toContain(body.invoice.processorInvoiceId);
});

it('sells a free plan, and a trial without a card, with nothing to collect', async () => {
  const { sell, newPrice } = await startSale(service, { card: null });
  const { price: free } = await newPrice({ unitAmount: 0 });
  expect(await sell({ priceId: free.id, collect: 'nothing' })).toMatchObject({
    status: 201,
    body: { subscription: { status: 'active' } },
  });
  const trial = await sell({ collect: 'nothing', trialDays: 14, trialEndsWithoutMethod: 'pause' });
  expect(trial).toMatchObject({ status: 201, body: { subscription: { status: 'trialing' } } });
});

it.each([
  ['payment_required', { collect: 'nothing' }, { amountDue: 2_999 }],
  ['payment_method_missing', { collect: 'saved' }, undefined],
] as const)('is refused with %s when something is due and cannot be collected', async (code, body, details) => {
  const { sell, sold } = await startSale(service, { card: null });
  const response = await sell(body);
  expect(codeOf(response)).toBe(`422 ${code}`);
  expect(response.body.error.details).toEqual(details);
  expect(await sold()).toEqual([]);
});

it('leaves nothing of a sale whose card is declined', async () => {
  const { sell, sold, billed } = await startSale(service, { card: 'pm_card_chargeCustomerFail' });
  const response = await sell({});
  expect(codeOf(response)).toBe('422 payment_failed');
  expect(response.body.error.details).toMatchObject({ reason: 'declined' });
  expect([await sold(), (await billed()).filter(({ status }) => status === 'open')]).toEqual([[], []]);
});

it('sells nothing when it comes to another amount than the customer has seen', async () => {
  const { sell, sold } = await startSale(service);
  const response = await sell({ expectedAmountDue: 2_998 });
  expect({ code: codeOf(response), details: response.body.error.details }).toEqual({
    code: '409 amount_changed',
    details: { expected: 2_998, actual: 2_999 },
  });
  expect(await sold()).toEqual([]);
  expect(codeOf(await sell({ expectedAmountDue: 2_999 }))).toBe('201 done');
});

it('sells recurring prices of one interval only', async () => {
  const { sell, price, newPrice, sold } = await startSale(service);
  const { price: yearly } = await newPrice({ interval: 'year' });
  const { price: setup } = await newPrice({ recurring: false });
  const items = [{ priceId: price.id }, { priceId: yearly.id }];
  expect(codeOf(await sell({ items }))).toBe('422 interval_mismatch');
  expect(codeOf(await sell({ items: [{ priceId: setup.id }] }))).toBe('422 price_type_mismatch');
  expect(codeOf(await sell({ currency: 'eur' }))).toBe('422 currency_mismatch');
  expect(await sold()).toEqual([]);
});

it('sells in the currency of the subscription that the customer has', async () => {
  const { sell, newPrice } = await startSale(service);
  const { price } = await newPrice();
  await service.account.dashboard.prices.update(price.processorPriceId, {
    currency_options: { eur: { unit_amount: 2_500 } },
  });
  expect(codeOf(await sell({}))).toBe('201 done');
  const response = await sell({ priceId: price.id, currency: 'eur' });
  expect({ code: codeOf(response), details: response.body.error.details }).toEqual({
    code: '422 customer_currency_mismatch',
    details: { customer: 'usd', wanted: 'eur' },
  });
});

it.each([
  ['successUrl', { successUrl: 'https://shop.example' }],
  ['allowPromotionCodes', { allowPromotionCodes: true }],
  ['daysUntilDue', { daysUntilDue: 3 }],
  ['mode', { mode: 'payment' }],
  ['trialEndsWithoutMethod', { trialEndsWithoutMethod: 'cancel' }],
] as const)('refuses %s, which does not fit', async (field, body) => {
  const { sell } = await startSale(service);
  const { status, body: refused } = await sell(body);
  expect({ status, fields: refused.error.details.fields.map(({ path }: { path: string }) => path) }).toEqual({
    status: 400,
    fields: [field],
  });
});

it('is sold once per customer by twenty requests at once', async () => {
  const { sell, sold } = await startSale(service);
  const responses = await Promise.all(Array.from({ length: 20 }, () => sell({ oncePerCustomer: true })));
  const codes = new Set(responses.map(codeOf));
  expect(codes.has('201 done')).toBe(true);
  for (const code of codes) expect(['201 done', '409 already_subscribed', '409 conflict']).toContain(code);
  expect(await sold()).toHaveLength(1);
});

it('is one subscription for twenty requests under one key', async () => {
  const { sell, sold } = await startSale(service);
  const headers = { 'idempotency-key': randomUUID() };
  const responses = await Promise.all(Array.from({ length: 20 }, () => sell({}, headers)));
  for (const code of responses.map(codeOf)) expect(['201 done', '409 idempotency_key_in_use']).toContain(code);
  expect(await sold()).toHaveLength(1);
});

it('expires an open page that sells the same only once', async () => {
  const { sell, openPage, sold } = await startSale(service);
  const { sessionId } = (await openPage()).body;
  expect(codeOf(await sell({ oncePerCustomer: true }))).toBe('201 done');
  expect(await service.account.dashboard.checkout.sessions.retrieve(sessionId)).toMatchObject({ status: 'expired' });
  expect(await sold()).toHaveLength(1);
});

it('sells nothing once more that was paid on a page meanwhile', async () => {
  const { sell, openPage, sold } = await startSale(service);
  await service.control.checkout((await openPage()).body.sessionId);
  expect(codeOf(await sell({ oncePerCustomer: true }))).toBe('409 already_subscribed');
  expect(await sold()).toHaveLength(1);
});

it.each(['dropped', 'done-but-response-lost', '500-but-done'] as const)(
  'is one subscription when the processor’s response was %s',
  async mode => {
    const { sell, sold } = await startSale(service);
    const headers = { 'idempotency-key': randomUUID() };
    await service.control.fail({ method: 'POST', path: '/v1/subscriptions', mode, times: 99 });
    await sell({}, headers);
    await service.control.clearFaults();
    expect(codeOf(await sell({}, headers))).toBe('201 done');
    expect(await sold()).toHaveLength(1);
  },
);

it('mails the first invoice once when the response to its creation was lost', async () => {
  const { sell, billed } = await startSale(service, { card: null });
  const headers = { 'idempotency-key': randomUUID() };
  await service.control.fail({ method: 'POST', path: '/v1/invoices', mode: 'dropped', times: 99 });
  await sell({ collect: 'invoice' }, headers);
  await service.control.clearFaults();
  expect(await sell({ collect: 'invoice' }, headers)).toMatchObject({
    status: 201,
    body: { invoice: { status: 'open' } },
  });
  expect(await billed()).toMatchObject([{ status: 'open' }]);
});

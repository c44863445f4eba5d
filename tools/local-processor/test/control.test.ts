import { expect, test } from 'vitest';
import { type FaultRequest, LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';
import { type Receiver, startReceiver, waitUntil } from './receiver.ts';
import { idOf, openCheckout } from './checkout-fixtures.ts';

async function setUp(processor: { url: string }, receiver: Receiver) {
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  await stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: ['*'] });
  return { stripe, control };
}

const names = (receiver: Receiver) =>
  receiver.received.map(({ event }) => ('name' in event.data.object ? event.data.object.name : null));

test('holds webhooks and releases them in the requested order', async () => {
  await using processor = await startProcessor();
  await using receiver = await startReceiver();
  const { stripe, control } = await setUp(processor, receiver);
  await control.setDeliveryRules({ hold: true });
  for (const name of ['a', 'b', 'c']) await stripe.customers.create({ name });
  expect(await control.deliveries({ status: 'held' })).toHaveLength(3);
  expect(receiver.received).toEqual([]);

  expect(await control.release('reversed')).toBe(3);

  await control.waitForDeliveries();
  expect(names(receiver)).toEqual(['c', 'b', 'a']);
  expect((await control.deliveries()).map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
});

test('duplicates, shuffles, drops and resends webhooks', async () => {
  await using processor = await startProcessor();
  await using receiver = await startReceiver();
  const { stripe, control } = await setUp(processor, receiver);
  await control.setDeliveryRules({ copies: 2, shuffle: { seed: 7, windowMs: 400 } });
  for (const name of ['a', 'b', 'c']) await stripe.customers.create({ name });
  await waitUntil(() => receiver.received.length === 6, 'two copies of each webhook');
  expect(names(receiver).join('')).toMatch(/^(?!aabbcc)[abc]{6}$/);

  await control.setDeliveryRules({ copies: 1, shuffle: null, dropNext: 1 });
  await stripe.customers.create({ name: 'dropped' });
  const [dropped] = await control.deliveries({ status: 'dropped' });
  await control.resend(dropped?.event ?? '');
  await waitUntil(() => names(receiver).includes('dropped'), 'the dropped webhook');

  receiver.received.length = 0;
  await control.resendAll({ seed: 3 }, ['customer.created']);
  await waitUntil(() => receiver.received.length === 4, 'all webhooks again');
});

test('injects every fault mode, only for its own account', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  const create = () => stripe.customers.create({});

  await control.fail({ path: '/v1/customers', method: 'POST', mode: '429', times: 2 });
  await expect(connect(processor).customers.create({})).resolves.toMatchObject({ object: 'customer' });
  await expect(stripe.customers.list()).resolves.toMatchObject({ object: 'list' });
  for (const _ of [1, 2]) await expect(create()).rejects.toMatchObject({ statusCode: 429, code: 'rate_limit' });
  await expect(create()).resolves.toMatchObject({ object: 'customer' });

  await control.fail({ mode: '401' });
  await expect(create()).rejects.toMatchObject({ statusCode: 401, code: 'api_key_expired' });
  await control.fail({ mode: '500' });
  await expect(create()).rejects.toMatchObject({ statusCode: 500, type: 'StripeAPIError' });
  await control.fail({ mode: '400' });
  await expect(create()).rejects.toMatchObject({ statusCode: 400, type: 'StripeInvalidRequestError' });
  await control.fail({ mode: '502html' });
  await expect(create()).rejects.toThrow(/Invalid JSON/);
  await control.fail({ mode: 'dropped', times: 2 });
  await expect(create()).rejects.toMatchObject({ type: 'StripeConnectionError' });
  await control.fail({ mode: 'slow', delayMs: 200 });
  const startedAt = Date.now();
  await expect(create()).resolves.toMatchObject({ object: 'customer' });
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(190);

  await control.fail({ mode: '500', times: 5 });
  await control.clearFaults();
  expect(await control.faults()).toEqual([]);
  await expect(create()).resolves.toMatchObject({ object: 'customer' });
  expect((await stripe.customers.list()).data).toHaveLength(3);
});

test('breaks a response after the work, which a repeat returns whole', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  const create = () => stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'k1' });
  await control.fail({ path: '/v1/customers', mode: 'done-but-response-broken' });
  await expect(create()).rejects.toThrow(/Invalid JSON/);
  const { id } = await create();
  expect((await stripe.customers.list()).data).toMatchObject([{ id, name: 'Ada' }]);
});

test('tells the client whether to retry, as the fault says', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const control = new LocalProcessorControl(processor.url, key);
  const headerAfter = async (fault: FaultRequest) => {
    await control.fail({ path: '/v1/customers', ...fault });
    const headers = { authorization: `Bearer ${key}`, 'idempotency-key': JSON.stringify(fault) };
    const response = await fetch(`${processor.url}/v1/customers`, { method: 'POST', headers });
    return response.headers.get('stripe-should-retry');
  };
  expect(await headerAfter({ mode: '500' })).toBe('false');
  expect(await headerAfter({ mode: '500', kept: false })).toBe('true');
  expect(await headerAfter({ mode: '429' })).toBeNull();
  for (const mode of ['429', '500', '500-but-done', '502html', 'done-but-response-broken'] as const)
    for (const shouldRetry of [true, false]) expect(await headerAfter({ mode, shouldRetry })).toBe(String(shouldRetry));

  const stripe = connect(processor, key);
  const retrying = { maxNetworkRetries: 1 };
  await control.fail({ path: '/v1/products', mode: '429', shouldRetry: false });
  await expect(stripe.products.create({ name: 'Pro' }, retrying)).rejects.toMatchObject({ statusCode: 429 });
  await control.fail({ path: '/v1/products', mode: '429', shouldRetry: true });
  expect(await stripe.products.create({ name: 'Pro' }, retrying)).toMatchObject({ name: 'Pro' });
});

test('completes checkouts and moves a subscription through its life cycle', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  const { session } = await openCheckout(stripe, { subscription_data: { trial_period_days: 30 } });
  expect(await control.checkout(session.id, 'decline')).toMatchObject({ status: 'open' });
  const { subscription } = await control.checkout(session.id);
  const id = subscription ?? '';
  await expect(control.checkout(session.id)).rejects.toThrow(/complete/);

  expect(await control.endTrial(id)).toMatchObject({ status: 'active' });
  expect(await control.renew(id, 'decline')).toMatchObject({ status: 'past_due' });
  expect(await control.collect(id)).toMatchObject({ status: 'active' });
  await control.renew(id, 'decline');
  expect(await control.giveUp(id, 'unpaid')).toMatchObject({ status: 'unpaid' });
  expect(await control.collect(id)).toMatchObject({ status: 'active' });
  expect(await control.pause(id)).toMatchObject({ status: 'paused' });
  expect(await stripe.subscriptions.resume(id)).toMatchObject({ status: 'active' });
  expect(await control.end(id)).toMatchObject({ status: 'canceled' });
  await expect(control.renew(id)).rejects.toThrow(/ended/);
  const types = (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(['customer.subscription.paused', 'customer.subscription.resumed']));
});

test('ends its retries with the subscription canceled and the invoice open', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  const { session } = await openCheckout(stripe);
  const id = (await control.checkout(session.id)).subscription ?? '';
  const card = idOf((await stripe.subscriptions.retrieve(id)).default_payment_method);
  await control.setCardDeclines(card, true);
  await control.renew(id);
  const newest = async () => (await stripe.invoices.list({ subscription: id, limit: 1 })).data[0];
  const given = (await newest())?.id ?? '';
  await expect(stripe.invoices.pay(given)).rejects.toMatchObject({ code: 'card_declined' });
  // What is tried by hand does not count.
  expect(await newest()).toMatchObject({ attempt_count: 1, next_payment_attempt: expect.any(Number) });
  await control.advanceClock(15 * 86_400 + 60);
  expect(await newest()).toMatchObject({
    id: given,
    status: 'open',
    attempt_count: 4,
    next_payment_attempt: null,
  });
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'canceled' });
  await control.setCardDeclines(card, false);
  expect(await stripe.invoices.pay(given)).toMatchObject({ status: 'paid', attempt_count: 4 });
});

test('records calls and created objects in the ledger until a reset', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  const { id } = await stripe.customers.create({}, { idempotencyKey: 'op:1' });
  await stripe.customers.retrieve(id);
  await expect(stripe.customers.retrieve('cus_none')).rejects.toThrow(/No such customer/);
  const ledger = await control.ledger();
  expect(ledger.objects).toMatchObject([{ id, object: 'customer', idempotencyKey: 'op:1' }]);
  expect(ledger.calls).toEqual({ 'POST /v1/customers': { 200: 1 }, 'GET /v1/customers/:id': { 200: 1, 404: 1 } });

  await control.reset();

  expect((await stripe.customers.list()).data).toEqual([]);
  expect((await stripe.events.list()).data).toEqual([]);
  expect((await control.ledger()).objects).toEqual([]);
});

test('requires a key and explains invalid control requests', async () => {
  await using processor = await startProcessor();
  const refused = await fetch(`${processor.url}/_control/ledger`, { method: 'POST' });
  expect(refused.status).toBe(401);
  const control = new LocalProcessorControl(processor.url, freshKey());
  await expect(control.advanceClock(-1)).rejects.toThrow(/seconds/);
  await expect(control.checkout('cs_test_none')).rejects.toThrow(/No such checkout/);
});

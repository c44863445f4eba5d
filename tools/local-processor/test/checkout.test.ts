import { expect, test } from 'vitest';
import { connect, startProcessor } from './processor.ts';
import { createCustomerAndPrice, idOf, openCheckout, press } from './checkout-fixtures.ts';

const urls = { success_url: 'https://example.com/ok', cancel_url: 'https://example.com/no' };

test('creates an active subscription with its own card only on payment', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { session, customer } = await openCheckout(stripe, { metadata: { a: '1' } });
  expect(session).toMatchObject({ status: 'open', subscription: null, amount_total: 2999, payment_status: 'unpaid' });
  expect((await stripe.subscriptions.list({ customer: customer.id, status: 'all' })).data).toEqual([]);

  await press(session, 'pay');

  const [subscription] = (
    await stripe.subscriptions.list({ customer: customer.id, expand: ['data.default_payment_method'] })
  ).data;
  expect(subscription).toMatchObject({
    status: 'active',
    metadata: {},
    default_payment_method: { type: 'card', card: { brand: 'visa', last4: '4242' } },
  });
  expect(subscription).not.toHaveProperty('current_period_end');
  const item = subscription?.items.data[0];
  expect(item?.current_period_end).toBeGreaterThan((item?.current_period_start ?? 0) + 27 * 86_400);
  const [invoice] = (await stripe.invoices.list({ subscription: subscription?.id ?? '' })).data;
  expect(invoice).toMatchObject({
    status: 'paid',
    billing_reason: 'subscription_create',
    parent: { subscription_details: { subscription: subscription?.id } },
  });
  expect(invoice).not.toHaveProperty('subscription');
  const [payment] = (await stripe.invoicePayments.list({ invoice: invoice?.id ?? '' })).data;
  expect(payment).toMatchObject({ status: 'paid', payment: { type: 'payment_intent' } });
});

test('starts a trial without payment and warns before it ends', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { session, customer } = await openCheckout(stripe, { subscription_data: { trial_period_days: 3 } });
  expect(session.amount_total).toBe(0);

  await press(session, 'pay');

  const [subscription] = (await stripe.subscriptions.list({ customer: customer.id })).data;
  expect(subscription?.status).toBe('trialing');
  expect(subscription?.trial_end).toBe((subscription?.trial_start ?? 0) + 3 * 86_400);
  expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_status: 'no_payment_required' });
  const [invoice] = (await stripe.invoices.list({ customer: customer.id })).data;
  expect(invoice).toMatchObject({ total: 0, status: 'paid' });
  expect((await stripe.paymentIntents.list({ customer: customer.id })).data).toEqual([]);
  const types = (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type);
  expect(types).toContain('setup_intent.succeeded');
  expect(types).toContain('customer.subscription.trial_will_end');
});

test('keeps the session and its payment intent after a declined payment', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { session, customer } = await openCheckout(stripe);

  const declined = await press(session, 'decline');

  expect(declined.status).toBe(402);
  expect(await declined.text()).toContain('Your card was declined');
  const failures = (await stripe.events.list({ types: ['charge.failed', 'payment_intent.payment_failed'] })).data;
  expect(failures.map(({ type }) => type)).toEqual(['payment_intent.payment_failed', 'charge.failed']);
  expect((await press(session, 'pay')).status).toBe(303);
  const { data } = await stripe.paymentIntents.list({ customer: customer.id });
  expect(data).toMatchObject([{ status: 'succeeded', amount_received: 2999, last_payment_error: null }]);
  expect((await stripe.charges.list({ payment_intent: data[0]?.id ?? '' })).data.map(({ status }) => status)).toEqual([
    'succeeded',
    'failed',
  ]);
});

test('creates an invoice for a one-time payment only on request', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { customer } = await createCustomerAndPrice(stripe);
  const { id: product } = await stripe.products.create({ name: 'Book' });
  const price = await stripe.prices.create({ product, currency: 'eur', unit_amount: 700 });
  const line_items = [{ price: price.id, quantity: 2 }];
  const common = { mode: 'payment' as const, customer: customer.id, line_items, ...urls };
  const plain = await stripe.checkout.sessions.create({ ...common, payment_intent_data: { metadata: { k: 'v' } } });
  const billed = await stripe.checkout.sessions.create({
    ...common,
    invoice_creation: { enabled: true, invoice_data: { metadata: { k: 'w' } } },
  });

  await press(plain, 'pay');
  await press(billed, 'pay');

  const done = await stripe.checkout.sessions.retrieve(plain.id, { expand: ['payment_intent'] });
  expect(done).toMatchObject({ subscription: null, invoice: null, payment_status: 'paid' });
  expect(done.payment_intent).toMatchObject({
    amount: 1400,
    currency: 'eur',
    status: 'succeeded',
    metadata: { k: 'v' },
  });
  const withInvoice = await stripe.checkout.sessions.retrieve(billed.id, { expand: ['invoice.payments'] });
  expect(withInvoice.invoice).toMatchObject({ status: 'paid', total: 1400, metadata: { k: 'w' }, parent: null });
});

test('saves another card in a setup session without a subscription', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { session, customer } = await openCheckout(stripe);
  await press(session, 'pay');
  const setup = await stripe.checkout.sessions.create({
    mode: 'setup',
    customer: customer.id,
    currency: 'usd',
    ...urls,
  });

  expect((await press(setup, 'decline')).status).toBe(402);
  await press(setup, 'pay');

  const done = await stripe.checkout.sessions.retrieve(setup.id, { expand: ['setup_intent.payment_method'] });
  expect(done).toMatchObject({
    subscription: null,
    payment_status: 'no_payment_required',
    setup_intent: { status: 'succeeded', payment_method: { customer: customer.id, card: { brand: 'mastercard' } } },
  });
  const types = (await stripe.events.list({ limit: 4 })).data.map(({ type }) => type);
  expect(types).toEqual([
    'checkout.session.completed',
    'setup_intent.succeeded',
    'payment_method.attached',
    'setup_intent.setup_failed',
  ]);
  const cards = (await stripe.paymentMethods.list({ customer: customer.id })).data;
  expect(cards.map(({ card }) => card?.last4)).toEqual(['4444', '4242']);
});

test('creates a customer on payment when the session has none', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { price } = await createCustomerAndPrice(stripe);
  const line_items = [{ price: price.id, quantity: 1 }];
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer_email: 'new@example.com',
    line_items,
    ...urls,
  });
  await press(session, 'pay');
  const done = await stripe.checkout.sessions.retrieve(session.id, { expand: ['customer'] });
  expect(done.customer).toMatchObject({ email: 'new@example.com' });
});

test('rejects the payment of an expired session', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { session } = await openCheckout(stripe);
  expect(await stripe.checkout.sessions.expire(session.id)).toMatchObject({ status: 'expired', url: null });
  await expect(stripe.checkout.sessions.expire(session.id)).rejects.toThrow(/can be expired/);
  const response = await press(session, 'pay');
  expect(response.status).toBe(410);
  expect(await response.text()).toContain('expired');
  expect((await stripe.checkout.sessions.list({ status: 'expired' })).data).toHaveLength(1);
});

test.each<[string, (price: string, customer: string) => object, object]>([
  [
    'payment_method_types',
    (price, customer) => ({ ...base(price, customer), payment_method_types: ['card'] }),
    { code: 'parameter_unknown', param: 'payment_method_types' },
  ],
  [
    'no mode',
    (price, customer) => ({ ...base(price, customer), mode: undefined }),
    { code: 'parameter_missing', param: 'mode' },
  ],
  [
    'no line items',
    (price, customer) => ({ ...base(price, customer), line_items: undefined }),
    { code: 'parameter_missing', param: 'line_items' },
  ],
  [
    'a trial of 731 days',
    (price, customer) => ({ ...base(price, customer), subscription_data: { trial_period_days: 731 } }),
    { param: 'subscription_data[trial_period_days]' },
  ],
  [
    'a trial of 0 days',
    (price, customer) => ({ ...base(price, customer), subscription_data: { trial_period_days: 0 } }),
    { param: 'subscription_data[trial_period_days]' },
  ],
  [
    'a recurring price in payment mode',
    (price, customer) => ({ ...base(price, customer), mode: 'payment' }),
    { param: 'line_items' },
  ],
  [
    'a success URL without scheme',
    (price, customer) => ({ ...base(price, customer), success_url: 'example.com' }),
    { code: 'url_invalid', param: 'success_url' },
  ],
  [
    'a javascript: URL',
    (price, customer) => ({ ...base(price, customer), cancel_url: 'javascript:alert(1)' }),
    { code: 'url_invalid', param: 'cancel_url' },
  ],
  ['an unknown customer', price => base(price, 'cus_none'), { code: 'resource_missing', param: 'customer' }],
  [
    'an unknown price',
    (_, customer) => base('price_none', customer),
    { code: 'resource_missing', param: 'line_items[0][price]' },
  ],
  [
    'a quantity of 0',
    (price, customer) => ({ ...base(price, customer), line_items: [{ price, quantity: 0 }] }),
    { param: 'line_items[0][quantity]' },
  ],
  [
    'an unknown nested parameter',
    (price, customer) => ({ ...base(price, customer), subscription_data: { foo: '1' } }),
    { code: 'parameter_unknown', param: 'subscription_data[foo]' },
  ],
  [
    'setup without a currency',
    (_, customer) => ({ mode: 'setup', customer, ...urls }),
    { code: 'parameter_missing', param: 'currency' },
  ],
  [
    'payment data in subscription mode',
    (price, customer) => ({ ...base(price, customer), payment_intent_data: { metadata: { a: '1' } } }),
    { param: 'payment_intent_data' },
  ],
])('rejects a session with %s', async (_, params, error) => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { customer, price } = await createCustomerAndPrice(stripe);
  const attempt = stripe.checkout.sessions.create(params(price.id, customer.id));
  await expect(attempt).rejects.toMatchObject({ type: 'StripeInvalidRequestError', statusCode: 400, ...error });
});

test('rejects inactive prices and prices of inactive products', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { customer, price } = await createCustomerAndPrice(stripe);
  const sell = () => stripe.checkout.sessions.create({ ...base(price.id, customer.id), mode: 'subscription' });
  await stripe.prices.update(price.id, { active: false });
  await expect(sell()).rejects.toThrow(/inactive/);
  await stripe.prices.update(price.id, { active: true });
  await stripe.products.update(idOf(price.product), { active: false });
  await expect(sell()).rejects.toThrow(/inactive/);
});

function base(price: string, customer: string) {
  return { mode: 'subscription', customer, line_items: [{ price, quantity: 1 }], ...urls };
}

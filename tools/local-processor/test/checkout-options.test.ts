import { expect, test } from 'vitest';
import { connect, startProcessor } from './processor.ts';
import { createCustomerAndPrice, idOf, openCheckout, press } from './checkout-fixtures.ts';

test('keeps what the hosted page offers, and saves what the customer enters', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { session, customer } = await openCheckout(stripe, {
    allow_promotion_codes: true,
    automatic_tax: { enabled: true },
    client_reference_id: 'ours_1',
    customer_update: { address: 'auto', name: 'auto' },
    locale: 'pt-BR',
    tax_id_collection: { enabled: true },
  });
  expect(session).toMatchObject({
    allow_promotion_codes: true,
    automatic_tax: { enabled: true, status: 'requires_location_inputs' },
    client_reference_id: 'ours_1',
    locale: 'pt-BR',
    tax_id_collection: { enabled: true, required: 'never' },
  });

  await press(session, 'pay');

  const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription', 'invoice'] });
  expect(paid).toMatchObject({
    automatic_tax: { status: 'complete' },
    total_details: { amount_tax: 0 },
    subscription: { automatic_tax: { enabled: true } },
    invoice: { automatic_tax: { enabled: true, status: 'complete' } },
  });
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ name: 'Ada', address: { country: 'US' } });
});

test.each<[string, object, string | RegExp]>([
  ['tax without an address', { automatic_tax: { enabled: true } }, /customer_update\[address\]/],
  [
    'tax ids without an update of the name',
    { tax_id_collection: { enabled: true }, customer_update: { address: 'auto' } },
    /please set `customer_update\[name\]` to `auto`/,
  ],
  ['an update of nobody', { customer: undefined, customer_update: { name: 'auto' } }, /only be used with `customer`/],
  ['an unknown locale', { locale: 'tlh' }, /Invalid locale/],
])('rejects a session with %s', async (_, more, message) => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  await expect(openCheckout(stripe, more)).rejects.toThrow(message);
});

test('takes tax of a customer with an address, and of a new one', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const tax = { automatic_tax: { enabled: true }, tax_id_collection: { enabled: true } };
  const { customer, price } = await createCustomerAndPrice(stripe);
  await stripe.customers.update(customer.id, { address: { country: 'DE' } });
  const sell = { mode: 'subscription', line_items: [{ price: price.id, quantity: 1 }] } as const;
  const success_url = 'https://example.com/ok';
  const fresh = await stripe.checkout.sessions.create({
    ...sell,
    line_items: [...sell.line_items],
    ...tax,
    success_url,
  });
  const known = await stripe.checkout.sessions.create({
    ...sell,
    line_items: [...sell.line_items],
    ...tax,
    customer_update: { name: 'auto' },
    customer: customer.id,
    success_url,
  });
  for (const { status, automatic_tax } of [fresh, known]) {
    expect(status).toBe('open');
    expect(automatic_tax.enabled).toBe(true);
  }
});

test('sells a metered price, which takes no quantity', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { id: product } = await stripe.products.create({ name: 'Calls' });
  const price = await stripe.prices.create({
    product,
    currency: 'usd',
    unit_amount: 5,
    recurring: { interval: 'month', usage_type: 'metered' },
  });
  const sell = (quantity?: number) =>
    openCheckout(stripe, {
      line_items: [quantity === undefined ? { price: price.id } : { price: price.id, quantity }],
    });
  await expect(sell(1)).rejects.toMatchObject({ param: 'line_items[0][quantity]' });
  const { session } = await sell();
  const { data } = await stripe.checkout.sessions.listLineItems(session.id);
  expect(data).toMatchObject([{ quantity: null, amount_total: 0 }]);
  expect(await (await fetch(session.url ?? '')).text()).toContain('billed by usage');
  await press(session, 'pay');
  const paid = await stripe.checkout.sessions.retrieve(session.id);
  const subscription = await stripe.subscriptions.retrieve(idOf(paid.subscription));
  expect(subscription.items.data[0]).not.toHaveProperty('quantity');
});

test('lists sessions by what they belong to', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const first = await openCheckout(stripe);
  await press(first.session, 'pay');
  const second = await openCheckout(stripe);
  const { subscription, created } = await stripe.checkout.sessions.retrieve(first.session.id);
  const product = await stripe.products.create({ name: 'Book' });
  const price = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 5 });
  const once = await openCheckout(stripe, { mode: 'payment', line_items: [{ price: price.id, quantity: 1 }] });
  await press(once.session, 'pay');
  const { payment_intent } = await stripe.checkout.sessions.retrieve(once.session.id);
  const listed = async (filter: object) => (await stripe.checkout.sessions.list(filter)).data.map(({ id }) => id);
  expect(await listed({ customer: first.customer.id })).toEqual([first.session.id]);
  expect(await listed({ subscription: idOf(subscription) })).toEqual([first.session.id]);
  expect(await listed({ payment_intent: idOf(payment_intent) })).toEqual([once.session.id]);
  expect(await listed({ status: 'open' })).toEqual([second.session.id]);
  expect(await listed({ created: { gt: created + 3_600 } })).toEqual([]);
  expect(await listed({ created: { gte: created } })).toHaveLength(3);
});

import { expect, test } from 'vitest';
import { connect, startProcessor } from './processor.ts';
import { openCheckout, press } from './checkout-fixtures.ts';

test('merges metadata and puts the previous values into the event', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { id } = await stripe.customers.create({ email: 'a@example.com', metadata: { unchanged: '1', removed: '2' } });

  const updated = await stripe.customers.update(id, { name: 'Ada', metadata: { removed: '', added: '3' } });

  expect(updated).toMatchObject({ name: 'Ada', metadata: { unchanged: '1', added: '3' } });
  expect(updated.metadata).not.toHaveProperty('removed');
  const [event] = (await stripe.events.list({ type: 'customer.updated' })).data;
  expect(event?.data.previous_attributes).toEqual({ name: null, metadata: { removed: '2', added: null } });
});

test('finds all customers with an email address, case-sensitively', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const first = await stripe.customers.create({ email: 'ada@example.com' });
  const second = await stripe.customers.create({ email: 'ada@example.com' });
  await stripe.customers.create({ email: 'Ada@example.com' });

  const found = await stripe.customers.list({ email: 'ada@example.com' });

  expect(found.data.map(({ id }) => id)).toEqual([second.id, first.id]);
});

test('needs neither name nor email, and clears the name with an empty one', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const bare = await stripe.customers.create();
  expect(bare).toMatchObject({ email: null, name: null, metadata: {} });
  await stripe.customers.update(bare.id, { name: 'Ada', email: 'ada@example.com' });
  expect(await stripe.customers.update(bare.id, { name: '' })).toMatchObject({ name: null, email: 'ada@example.com' });
  expect(await stripe.customers.update(bare.id, { email: '' })).toMatchObject({ email: null });
});

test('gets the email address that a customer without one enters at checkout', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { id: customer } = await stripe.customers.create();
  const { session } = await openCheckout(stripe, { customer });
  expect(session.customer_details).toBeNull();
  await press(session, 'pay');
  expect(await stripe.customers.retrieve(customer)).toMatchObject({ email: 'guest@example.com', name: null });
});

test('pages through lists', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const created: string[] = [];
  for (let index = 0; index < 5; index += 1) created.unshift((await stripe.customers.create({})).id);

  const all = await stripe.customers.list({ limit: 2 }).autoPagingToArray({ limit: 10 });

  expect(all.map(({ id }) => id)).toEqual(created);
});

test('deletes a customer with its subscriptions and leaves a stub', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { session, customer } = await openCheckout(stripe);
  await press(session, 'pay');

  expect(await stripe.customers.del(customer.id)).toMatchObject({ id: customer.id, deleted: true });

  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true });
  expect((await stripe.customers.list()).data).toEqual([]);
  const { data } = await stripe.subscriptions.list({ customer: customer.id, status: 'all' });
  expect(data.map(({ status }) => status)).toEqual(['canceled']);
  const types = (await stripe.events.list({ limit: 2 })).data.map(({ type }) => type);
  expect(types).toEqual(['customer.deleted', 'customer.subscription.deleted']);
  await expect(stripe.customers.update(customer.id, { name: 'x' })).rejects.toMatchObject({ statusCode: 404 });
});

test('applies credit to the next invoice', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { session, customer } = await openCheckout(stripe);
  const credit = await stripe.customers.createBalanceTransaction(customer.id, {
    amount: -500,
    currency: 'usd',
    description: 'Thanks',
  });
  expect(credit).toMatchObject({ amount: -500, ending_balance: -500, type: 'adjustment' });
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ balance: -500 });

  await press(session, 'pay');

  const [invoice] = (await stripe.invoices.list({ customer: customer.id })).data;
  expect(invoice).toMatchObject({ total: 2999, amount_due: 2499, amount_paid: 2499, starting_balance: -500 });
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ balance: 0 });
  const { data } = await stripe.customers.listBalanceTransactions(customer.id);
  expect(data.map(({ amount, type }) => [amount, type])).toEqual([
    [500, 'applied_to_invoice'],
    [-500, 'adjustment'],
  ]);
});

test('keeps the balance of a customer in the currency of its subscriptions', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { id: product } = await stripe.products.create({ name: 'Pro' });
  const priceIn = (currency: string) =>
    stripe.prices.create({ product, currency, unit_amount: 500, recurring: { interval: 'month' } });
  const [eur, usd] = [await priceIn('eur'), await priceIn('usd')];
  const { id: customer } = await stripe.customers.create({});
  const credit = (amount: number, currency: string) =>
    stripe.customers.createBalanceTransaction(customer, { amount, currency });
  const subscribe = (price: { id: string }) =>
    stripe.subscriptions.create({ customer, items: [{ price: price.id }], trial_period_days: 7 });
  await credit(-100, 'usd');
  await expect(subscribe(eur)).rejects.toThrow(/combine currencies/);
  await credit(100, 'usd');
  await subscribe(eur);
  await expect(credit(-100, 'usd')).rejects.toMatchObject({ param: 'currency' });
  await expect(subscribe(usd)).rejects.toThrow(/combine currencies/);
  expect(await credit(-100, 'eur')).toMatchObject({ currency: 'eur', ending_balance: -100 });
});

test('counts the length of a text in code points', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const metadata = { ['𝒳'.repeat(40)]: '😀'.repeat(500) };
  expect(await stripe.customers.create({ name: '𝒳'.repeat(256), metadata })).toMatchObject({ metadata });
  await expect(stripe.customers.create({ name: '𝒳'.repeat(257) })).rejects.toMatchObject({ param: 'name' });
});

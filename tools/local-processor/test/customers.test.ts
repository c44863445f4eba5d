import { expect, test } from 'vitest';
import { connect, startProcessor } from './processor.ts';
import { openCheckout, press } from './shop.ts';

test('metadata is merged, an empty value unsets its key, and the update tells what was before', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { id } = await stripe.customers.create({ email: 'a@example.com', metadata: { kept: '1', gone: '2' } });

  const updated = await stripe.customers.update(id, { name: 'Ada', metadata: { gone: '', fresh: '3' } });

  expect(updated).toMatchObject({ name: 'Ada', metadata: { kept: '1', fresh: '3' } });
  expect(updated.metadata).not.toHaveProperty('gone');
  const [event] = (await stripe.events.list({ type: 'customer.updated' })).data;
  expect(event?.data.previous_attributes).toEqual({ name: null, metadata: { gone: '2', fresh: null } });
});

test('an e-mail address is not unique and is found only as it is written', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const first = await stripe.customers.create({ email: 'ada@example.com' });
  const second = await stripe.customers.create({ email: 'ada@example.com' });
  await stripe.customers.create({ email: 'Ada@example.com' });

  const found = await stripe.customers.list({ email: 'ada@example.com' });

  expect(found.data.map(({ id }) => id)).toEqual([second.id, first.id]);
});

test('lists go page by page in both directions', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const made: string[] = [];
  for (let index = 0; index < 5; index += 1) made.unshift((await stripe.customers.create({})).id);

  const all = await stripe.customers.list({ limit: 2 }).autoPagingToArray({ limit: 10 });
  const back = await stripe.customers.list({ limit: 2, ending_before: made[3] ?? '' });

  expect(all.map(({ id }) => id)).toEqual(made);
  expect(back.data.map(({ id }) => id)).toEqual([made[1], made[2]]);
  expect(back.has_more).toBe(true);
});

test('a deleted customer leaves a stub, its subscriptions end at once, and it is listed no more', async () => {
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

test('credit stays on the balance until an invoice uses it up', async () => {
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
  expect(await stripe.customers.retrieveBalanceTransaction(customer.id, credit.id)).toMatchObject({ amount: -500 });
});

test('the length of a text is that of its characters, however many code units each takes', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const metadata = { ['𝒳'.repeat(40)]: '😀'.repeat(500) };
  expect(await stripe.customers.create({ name: '𝒳'.repeat(256), metadata })).toMatchObject({ metadata });
  await expect(stripe.customers.create({ name: '𝒳'.repeat(257) })).rejects.toMatchObject({ param: 'name' });
});

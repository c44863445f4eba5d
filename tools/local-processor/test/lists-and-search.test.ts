import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';
import { createCustomerAndPrice, idOf } from './checkout-fixtures.ts';

const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

async function subscribeTwice(processor: { url: string }) {
  const key = freshKey();
  const stripe = connect(processor, key);
  const { customer, price } = await createCustomerAndPrice(stripe);
  await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
  const other = await createCustomerAndPrice(stripe);
  const items = [{ price: price.id }];
  const live = await stripe.subscriptions.create({
    customer: customer.id,
    items,
    metadata: { projectId: 'p1' },
    trial_period_days: 7,
  });
  const ended = await stripe.subscriptions.create({
    customer: other.customer.id,
    items: [{ price: other.price.id }],
    metadata: { projectId: 'p1', k: 'O\'Neil "x"' },
    trial_period_days: 7,
  });
  await stripe.subscriptions.cancel(ended.id);
  return { stripe, control: new LocalProcessorControl(processor.url, key), customer, price, other, live, ended };
}

test('lists subscriptions and invoices by what they belong to', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, price, other, live, ended } = await subscribeTwice(processor);
  const { subscriptions, invoices } = stripe;
  expect(ids(await subscriptions.list())).toEqual([live.id]);
  expect(ids(await subscriptions.list({ status: 'all' }))).toEqual([ended.id, live.id]);
  expect(ids(await subscriptions.list({ status: 'ended' }))).toEqual([ended.id]);
  expect(ids(await subscriptions.list({ status: 'all', customer: other.customer.id }))).toEqual([ended.id]);
  expect(ids(await subscriptions.list({ status: 'all', price: price.id }))).toEqual([live.id]);
  expect(ids(await subscriptions.list({ status: 'all', created: { lt: live.created - 60 } }))).toEqual([]);
  expect(ids(await invoices.list({ subscription: live.id }))).toEqual([idOf(live.latest_invoice)]);
  expect(ids(await invoices.list({ customer: customer.id, status: 'paid' }))).toHaveLength(1);
  expect(ids(await invoices.list({ status: 'open' }))).toEqual([]);
});

test('finalizes, marks as uncollectible, voids and pays invoices, and emits the events', async () => {
  await using processor = await startProcessor();
  const { stripe, control, live, customer } = await subscribeTwice(processor);
  await stripe.subscriptions.update(live.id, { pause_collection: { behavior: 'keep_as_draft' } });
  const draft = async () => {
    const { latest_invoice } = await control.renew(live.id);
    return idOf(latest_invoice);
  };
  const [first, second] = [await draft(), await draft()];
  await expect(stripe.invoices.pay(first)).rejects.toThrow(/is draft/);
  await expect(stripe.invoices.markUncollectible(first)).rejects.toThrow(/is draft/);

  expect(await stripe.invoices.finalizeInvoice(first)).toMatchObject({ status: 'open', amount_due: 2_999 });
  await expect(stripe.invoices.finalizeInvoice(first)).rejects.toThrow(/already finalized/);
  expect(await stripe.invoices.markUncollectible(first)).toMatchObject({ status: 'uncollectible' });
  const [method] = (await stripe.paymentMethods.list({ customer: customer.id })).data;
  expect(await stripe.invoices.pay(first, { payment_method: method?.id ?? '' })).toMatchObject({ status: 'paid' });
  await stripe.invoices.finalizeInvoice(second);
  expect(await stripe.invoices.voidInvoice(second)).toMatchObject({ status: 'void' });

  const ofInvoice = async (id: string) =>
    (await stripe.events.list({ limit: 100 })).data
      .filter(({ data }) => 'id' in data.object && data.object.id === id)
      .map(({ type }) => type)
      .toReversed();
  expect(await ofInvoice(first)).toEqual([
    'invoice.created',
    'invoice.updated',
    'invoice.finalized',
    'invoice.updated',
    'invoice.updated',
    'invoice.marked_uncollectible',
    'invoice.updated',
    'invoice.paid',
    'invoice.payment_succeeded',
  ]);
  expect((await ofInvoice(second)).slice(2)).toEqual([
    'invoice.finalized',
    'invoice.updated',
    'invoice.updated',
    'invoice.voided',
  ]);
});

test('finds objects by metadata and other fields', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, price, other, live, ended } = await subscribeTwice(processor);
  const { subscriptions, customers, prices, products } = stripe;
  const byProject = "metadata['projectId']:'p1'";
  expect(ids(await subscriptions.search({ query: byProject }))).toEqual([ended.id, live.id]);
  const both = await subscriptions.search({ query: `${byProject} AND metadata["k"]:"O'Neil \\"x\\""` });
  expect(ids(both)).toEqual([ended.id]);
  expect(both).toMatchObject({ object: 'search_result', has_more: false, next_page: null });
  expect(ids(await subscriptions.search({ query: `${byProject} AND status:'trialing'` }))).toEqual([live.id]);
  const byEmail = await customers.search({ query: "email:'ADA@example.com'", expand: ['total_count'] });
  expect(ids(byEmail)).toEqual([other.customer.id, customer.id]);
  expect(byEmail.total_count).toBe(2);
  await customers.del(customer.id);
  expect(ids(await customers.search({ query: "email:'ada@example.com'" }))).toEqual([other.customer.id]);
  const product = idOf(price.product);
  await products.update(product, { metadata: { ours: 'yes' } });
  expect(ids(await products.search({ query: "metadata['ours']:'yes'" }))).toEqual([product]);
  expect(ids(await prices.search({ query: `product:'${product}' AND active:'true'` }))).toEqual([price.id]);
  await expect(customers.search({ query: 'email~"ada"' })).rejects.toMatchObject({ param: 'query' });
  await expect(customers.search({ query: "shoe:'1'" })).rejects.toMatchObject({ param: 'query' });
});

test('pages through a search', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const created: string[] = [];
  for (let index = 0; index < 5; index += 1)
    created.unshift((await stripe.customers.create({ metadata: { batch: 'b' } })).id);
  const search = { query: "metadata['batch']:'b'", limit: 2 };
  const first = await stripe.customers.search(search);
  expect(first.has_more).toBe(true);
  const second = await stripe.customers.search({ ...search, page: first.next_page ?? '' });
  expect([...ids(first), ...ids(second)]).toEqual(created.slice(0, 4));
  const all = await stripe.customers.search(search).autoPagingToArray({ limit: 100 });
  expect(all.map(({ id }) => id)).toEqual(created);
  await expect(stripe.customers.search({ ...search, page: 'nope' })).rejects.toMatchObject({ param: 'page' });
});

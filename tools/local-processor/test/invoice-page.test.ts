import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { idOf, openCheckout, press } from './checkout-fixtures.ts';
import { connect, freshKey, startProcessor } from './processor.ts';

/** A subscription whose renewal was declined, and its open invoice. */
async function startPastDue(processor: { url: string }) {
  const key = freshKey();
  const stripe = connect(processor, key);
  const { session, customer } = await openCheckout(stripe);
  await press(session, 'pay');
  const [subscription] = (await stripe.subscriptions.list({ customer: customer.id })).data;
  const subscriptionId = subscription?.id ?? '';
  await new LocalProcessorControl(processor.url, key).renew(subscriptionId, 'decline');
  const [invoice] = (await stripe.invoices.list({ customer: customer.id, status: 'open' })).data;
  if (!invoice?.id) throw new Error('The declined renewal left no open invoice.');
  const { id } = invoice;
  const before = new Set((await stripe.events.list({ limit: 100 })).data.map(event => event.id));
  return {
    stripe,
    url: invoice.hosted_invoice_url ?? '',
    invoice: () => stripe.invoices.retrieve(id),
    status: async () => (await stripe.subscriptions.retrieve(subscriptionId)).status,
    newEvents: async (): Promise<Stripe.Event[]> =>
      (await stripe.events.list({ limit: 100 })).data.filter(event => !before.has(event.id)).toReversed(),
    id,
    customer,
  };
}

const choose = (url: string, action: string) =>
  fetch(url, { method: 'POST', body: new URLSearchParams({ action }), redirect: 'manual' });
const pageAt = async (url: string) => (await fetch(url)).text();

test('pays an open invoice on its page, and sends the events of a real payment', async () => {
  await using processor = await startProcessor();
  const { url, invoice, status, newEvents, stripe, customer } = await startPastDue(processor);
  const page = await pageAt(url);
  for (const text of ['Pay $29.99', 'Test card', 'Decline']) expect(page).toContain(text);
  expect(await status()).toBe('past_due');

  const paid = await choose(url, 'pay');

  expect([paid.status, paid.headers.get('location')]).toEqual([303, new URL(url).pathname]);
  expect(await invoice()).toMatchObject({ status: 'paid', amount_paid: 2_999, amount_remaining: 0 });
  expect(await status()).toBe('active');
  const types = (await newEvents()).map(({ type }) => type);
  for (const type of ['charge.succeeded', 'payment_intent.succeeded', 'invoice.paid', 'customer.subscription.updated'])
    expect(types.filter(one => one === type)).toHaveLength(1);
  const [charge] = (await stripe.charges.list({ customer: customer.id })).data;
  expect(charge).toMatchObject({ paid: true, amount: 2_999 });
  expect(idOf(charge?.customer ?? null)).toBe(customer.id);
  const after = await pageAt(url);
  expect(after).toContain('Amount paid');
  expect(after).not.toContain('<form');
});

test('keeps a declined invoice open, to be paid at the next try', async () => {
  await using processor = await startProcessor();
  const { url, invoice, status, newEvents } = await startPastDue(processor);
  const declined = await choose(url, 'decline');
  expect(declined.status).toBe(402);
  expect(await declined.text()).toContain('Your card was declined');
  expect(await invoice()).toMatchObject({ status: 'open', attempt_count: 1 });
  expect(await status()).toBe('past_due');
  expect((await newEvents()).map(({ type }) => type)).toContain('invoice.payment_failed');
  expect((await choose(url, 'pay')).status).toBe(303);
  expect(await invoice()).toMatchObject({ status: 'paid' });
});

test('pays an uncollectible invoice, but neither a paid nor a void one', async () => {
  await using processor = await startProcessor();
  const { url, invoice, stripe, id, newEvents } = await startPastDue(processor);
  await stripe.invoices.markUncollectible(id);
  expect((await choose(url, 'steal')).status).toBe(400);
  await choose(url, 'pay');
  expect(await invoice()).toMatchObject({ status: 'paid' });
  const count = (await newEvents()).length;
  expect((await choose(url, 'pay')).status).toBe(303);
  expect(await newEvents()).toHaveLength(count);

  const other = await startPastDue(processor);
  await other.stripe.invoices.voidInvoice(other.id);
  expect(await pageAt(other.url)).not.toContain('<form');
  await choose(other.url, 'pay');
  expect(await other.invoice()).toMatchObject({ status: 'void', amount_paid: 0 });
  expect((await choose(`${processor.url}/i/acct_1none/in_1none`, 'pay')).status).toBe(404);
});

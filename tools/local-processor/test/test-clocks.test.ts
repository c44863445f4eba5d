import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';
import { idOf, openCheckout, press } from './checkout-fixtures.ts';

const DAY = 86_400;
const START = Date.UTC(2030, 0, 31, 12) / 1_000;

async function startOnClock(processor: { url: string }) {
  const key = freshKey();
  const stripe = connect(processor, key);
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: START, name: 'Spring' });
  const customer = await stripe.customers.create({
    test_clock: clock.id,
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const { id: product } = await stripe.products.create({ name: 'Pro' });
  const price = await stripe.prices.create({
    product,
    currency: 'usd',
    unit_amount: 2_999,
    recurring: { interval: 'month' },
  });
  const items = [{ price: price.id }];
  const subscription = await stripe.subscriptions.create({ customer: customer.id, items });
  const advance = (frozen_time: number) => stripe.testHelpers.testClocks.advance(clock.id, { frozen_time });
  return { stripe, control: new LocalProcessorControl(processor.url, key), clock, customer, subscription, advance };
}

test('a customer on a test clock lives in its time', async () => {
  await using processor = await startProcessor();
  const { stripe, control, clock, customer, subscription, advance } = await startOnClock(processor);
  expect(clock).toMatchObject({ frozen_time: START, name: 'Spring', status: 'ready' });
  expect(customer).toMatchObject({ test_clock: clock.id, created: START });
  expect(subscription).toMatchObject({ test_clock: clock.id, start_date: START, status: 'active' });
  await control.advanceClock(60 * DAY);
  expect((await stripe.invoices.list({ subscription: subscription.id })).data).toHaveLength(1);

  expect(await advance(START + 30 * DAY)).toMatchObject({ status: 'advancing', frozen_time: START });

  expect(await stripe.testHelpers.testClocks.retrieve(clock.id)).toMatchObject({
    status: 'ready',
    frozen_time: START + 30 * DAY,
  });
  const [invoice] = (await stripe.invoices.list({ subscription: subscription.id })).data;
  const renewedAt = Date.UTC(2030, 1, 28, 12) / 1_000;
  expect(invoice).toMatchObject({
    billing_reason: 'subscription_cycle',
    created: renewedAt,
    status: 'paid',
    test_clock: clock.id,
  });
  const types = (await stripe.events.list({ type: 'test_helpers.test_clock.*' })).data.map(({ type }) => type);
  expect(types.toReversed()).toEqual(['created', 'advancing', 'ready'].map(it => `test_helpers.test_clock.${it}`));
});

test('changes on a test clock happen in its time', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, subscription, advance } = await startOnClock(processor);
  const { session } = await openCheckout(stripe, { customer: customer.id });
  expect(session.created).toBe(START);
  await press(session, 'pay');
  const paid = await stripe.checkout.sessions.retrieve(session.id);
  expect(await stripe.subscriptions.retrieve(idOf(paid.subscription))).toMatchObject({ start_date: START });
  await advance(START + 10 * DAY);
  await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
  expect(await stripe.subscriptions.cancel(subscription.id)).toMatchObject({ ended_at: START + 10 * DAY });
});

test('lists leave out what lives on test clocks, unless it is requested', async () => {
  await using processor = await startProcessor();
  const { stripe, clock, customer, subscription } = await startOnClock(processor);
  const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
  expect(ids(await stripe.customers.list())).toEqual([]);
  expect(ids(await stripe.customers.list({ test_clock: clock.id }))).toEqual([customer.id]);
  expect(ids(await stripe.subscriptions.list())).toEqual([]);
  expect(ids(await stripe.subscriptions.list({ customer: customer.id }))).toEqual([subscription.id]);
  expect(ids(await stripe.subscriptions.list({ test_clock: clock.id }))).toEqual([subscription.id]);
});

test('a clock does not go back or too far, and takes its customers with it', async () => {
  await using processor = await startProcessor();
  const { stripe, clock, customer, subscription, advance } = await startOnClock(processor);
  await expect(advance(START)).rejects.toMatchObject({ param: 'frozen_time' });
  await expect(advance(START + 63 * DAY)).rejects.toMatchObject({ param: 'frozen_time' });
  await expect(stripe.customers.create({ test_clock: 'clock_none' })).rejects.toMatchObject({ param: 'test_clock' });
  expect(await stripe.testHelpers.testClocks.del(clock.id)).toMatchObject({ deleted: true });
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true });
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'canceled' });
  await expect(stripe.testHelpers.testClocks.retrieve(clock.id)).rejects.toMatchObject({ statusCode: 404 });
});

test('one advance past retries and a renewal does all in the order of their times', async () => {
  await using processor = await startProcessor();
  const { stripe, control, customer, subscription, advance } = await startOnClock(processor);
  const [card] = (await stripe.paymentMethods.list({ customer: customer.id })).data;
  await control.setCardDeclines(card?.id ?? '', true);
  await advance(START + 29 * DAY);
  await advance(START + 65 * DAY);
  const ended = await stripe.subscriptions.retrieve(subscription.id);
  expect(ended).toMatchObject({ status: 'canceled', ended_at: Date.UTC(2030, 2, 15, 13) / 1_000 });
  expect((await stripe.invoices.list({ subscription: subscription.id })).data).toHaveLength(2);
  const events = (await stripe.events.list({ limit: 100, created: { gt: START } })).data;
  const times = events.filter(it => it.type !== 'test_helpers.test_clock.advancing').map(({ created }) => created);
  expect(times).toEqual(times.toSorted((one, other) => other - one));
});

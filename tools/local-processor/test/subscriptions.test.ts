import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, type RunningProcessor, startProcessor } from './processor.ts';
import { idOf, openCheckout, press } from './checkout-fixtures.ts';

const DAY = 86_400;

async function subscribe(processor: RunningProcessor, more: Partial<Stripe.Checkout.SessionCreateParams> = {}) {
  const key = freshKey();
  const stripe = connect(processor, key);
  const { session, customer, price } = await openCheckout(stripe, more);
  await press(session, 'pay');
  const [subscription] = (await stripe.subscriptions.list({ customer: customer.id })).data;
  if (!subscription) throw new Error('The checkout created no subscription.');
  return { stripe, control: new LocalProcessorControl(processor.url, key), subscription, customer, price };
}

test('schedules and revokes a cancellation at period end', async () => {
  await using processor = await startProcessor();
  const { stripe, subscription } = await subscribe(processor);
  const end = subscription.items.data[0]?.current_period_end;

  const scheduled = await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
  expect(scheduled).toMatchObject({ cancel_at_period_end: true, cancel_at: end, status: 'active' });
  const [event] = (await stripe.events.list({ type: 'customer.subscription.updated' })).data;
  expect(event?.data.previous_attributes).toMatchObject({ cancel_at_period_end: false, cancel_at: null });
  expect(await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false })).toMatchObject({
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
  });
  expect(await stripe.subscriptions.update(subscription.id, { cancel_at: 'min_period_end' })).toMatchObject({
    cancel_at_period_end: false,
    cancel_at: end,
  });
  expect(await stripe.subscriptions.update(subscription.id, { cancel_at: '' })).toMatchObject({ cancel_at: null });
  await expect(
    stripe.subscriptions.update(subscription.id, { cancel_at: '', cancel_at_period_end: false }),
  ).rejects.toMatchObject({ param: 'cancel_at' });
});

test('rejects changes of a canceled subscription', async () => {
  await using processor = await startProcessor();
  const { stripe, subscription, customer } = await subscribe(processor);
  const canceled = await stripe.subscriptions.cancel(subscription.id);
  expect(canceled).toMatchObject({ status: 'canceled', cancel_at_period_end: false });
  expect(canceled.ended_at).toBeGreaterThan(0);
  await expect(stripe.subscriptions.cancel(subscription.id)).rejects.toMatchObject({ statusCode: 404 });
  await expect(stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true })).rejects.toMatchObject({
    statusCode: 400,
  });
  expect((await stripe.subscriptions.list({ customer: customer.id })).data).toEqual([]);
  expect((await stripe.subscriptions.list({ customer: customer.id, status: 'canceled' })).data).toHaveLength(1);
});

test('accepts only cards of the customer and removes detached ones', async () => {
  await using processor = await startProcessor();
  const { stripe, subscription } = await subscribe(processor);
  const other = await subscribe(processor);
  const card = idOf(subscription.default_payment_method);
  await expect(
    stripe.subscriptions.update(subscription.id, { default_payment_method: 'pm_none' }),
  ).rejects.toMatchObject({ code: 'resource_missing', param: 'default_payment_method' });
  await expect(other.stripe.paymentMethods.retrieve(card)).rejects.toMatchObject({ statusCode: 404 });
  expect(await stripe.paymentMethods.detach(card)).toMatchObject({ customer: null });
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ default_payment_method: null });
});

test('is paid by its own card, else by the customer’s default', async () => {
  await using processor = await startProcessor();
  const { stripe, control, subscription, customer } = await subscribe(processor);
  const own = idOf(subscription.default_payment_method);
  const fallback = await stripe.paymentMethods.attach('pm_card_mastercard', { customer: customer.id });
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: fallback.id } });
  const payingCard = async () => {
    await control.renew(subscription.id);
    const [charge] = (await stripe.charges.list({ customer: customer.id })).data;
    return charge?.payment_method;
  };
  expect(await payingCard()).toBe(own);

  const cleared = await stripe.subscriptions.update(subscription.id, { default_payment_method: '' });

  expect(cleared.default_payment_method).toBeNull();
  expect(await payingCard()).toBe(fallback.id);
  await stripe.subscriptions.update(subscription.id, { default_payment_method: own });
  expect(await payingCard()).toBe(own);
  await stripe.subscriptions.update(subscription.id, { default_payment_method: '' });
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: '' } });
  expect(await control.renew(subscription.id)).toMatchObject({ status: 'past_due' });
});

test('renews a subscription every month as the clock advances', async () => {
  await using processor = await startProcessor();
  const { stripe, control, subscription, customer } = await subscribe(processor);
  await control.advanceClock(95 * DAY);
  const { data } = await stripe.invoices.list({ customer: customer.id });
  expect(data).toHaveLength(4);
  const [newest] = data;
  const renewed = await stripe.subscriptions.retrieve(subscription.id);
  expect(newest?.created).toBe(renewed.items.data[0]?.current_period_start);
  expect(newest?.number).toMatch(/-0004$/);
  expect(new Set(data.map(({ number }) => number)).size).toBe(4);
});

test('ends scheduled subscriptions and bills ended trials over time', async () => {
  await using processor = await startProcessor();
  const ending = await subscribe(processor);
  await ending.stripe.subscriptions.update(ending.subscription.id, { cancel_at_period_end: true });
  const end = ending.subscription.items.data[0]?.current_period_end;
  await ending.control.advanceClock(40 * DAY);
  const ended = await ending.stripe.subscriptions.retrieve(ending.subscription.id);
  expect(ended).toMatchObject({ status: 'canceled', ended_at: end, cancel_at_period_end: true });

  const trial = await subscribe(processor, { subscription_data: { trial_period_days: 14 } });
  await trial.control.advanceClock(15 * DAY);
  const active = await trial.stripe.subscriptions.retrieve(trial.subscription.id, { expand: ['latest_invoice'] });
  expect(active).toMatchObject({ status: 'active', latest_invoice: { total: 2999, status: 'paid' } });
  const types = (await trial.stripe.events.list({ limit: 100 })).data.map(({ type }) => type);
  expect(types.filter(type => type === 'customer.subscription.trial_will_end')).toHaveLength(1);
});

test('retries a failed renewal and cancels after the last attempt', async () => {
  await using processor = await startProcessor();
  const { stripe, control, subscription } = await subscribe(processor);
  await control.setCardDeclines(idOf(subscription.default_payment_method), true);
  await control.advanceClock(32 * DAY);
  const due = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
  expect(due).toMatchObject({ status: 'past_due', latest_invoice: { status: 'open', attempt_count: 1 } });

  await control.advanceClock(20 * DAY);

  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
    status: 'canceled',
    cancellation_details: { reason: 'payment_failed' },
  });
  const { data } = await stripe.events.list({ type: 'invoice.payment_failed' });
  expect(data).toHaveLength(4);
});

test('activates a past-due subscription when its invoice is paid', async () => {
  await using processor = await startProcessor();
  const { stripe, control, subscription } = await subscribe(processor);
  const card = idOf(subscription.default_payment_method);
  await control.setCardDeclines(card, true);
  expect(await control.renew(subscription.id)).toMatchObject({ status: 'past_due' });
  const [invoice] = (await stripe.invoices.list({ status: 'open' })).data;
  await expect(stripe.invoices.pay(invoice?.id ?? '')).rejects.toMatchObject({
    type: 'StripeCardError',
    code: 'card_declined',
    statusCode: 402,
  });
  await control.setCardDeclines(card, false);
  expect(await stripe.invoices.pay(invoice?.id ?? '')).toMatchObject({ status: 'paid', amount_remaining: 0 });
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'active' });
  await expect(stripe.invoices.pay(invoice?.id ?? '')).rejects.toThrow(/already paid/);
});

test('voids an open invoice', async () => {
  await using processor = await startProcessor();
  const { stripe, control, subscription } = await subscribe(processor);
  await control.renew(subscription.id, 'decline');
  const [invoice] = (await stripe.invoices.list({ subscription: subscription.id, status: 'open' })).data;
  expect(await stripe.invoices.voidInvoice(invoice?.id ?? '')).toMatchObject({ status: 'void' });
  const [event] = (await stripe.events.list({ limit: 1 })).data;
  expect(event?.type).toBe('invoice.voided');
});

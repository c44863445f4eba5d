import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';
import { createCustomerAndPrice, idOf, openCheckout } from './checkout-fixtures.ts';

const DAY = 86_400;
const HOUR = 3_600;

async function createAccount(processor: { url: string }, card = 'pm_card_visa') {
  const key = freshKey();
  const stripe = connect(processor, key);
  const { customer, price } = await createCustomerAndPrice(stripe);
  const method = await stripe.paymentMethods.attach(card, { customer: customer.id });
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: method.id } });
  const control = new LocalProcessorControl(processor.url, key);
  const create = (more: Partial<Stripe.SubscriptionCreateParams> = {}) =>
    stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id, quantity: 2 }], ...more });
  return { stripe, control, customer, price, method, create };
}

async function eventTypes(stripe: Stripe): Promise<string[]> {
  return (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type).toReversed();
}

test('creates a subscription that a bank account pays', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, create } = await createAccount(processor, 'pm_usBankAccount_success');
  expect(await create()).toMatchObject({ status: 'active' });
  const details = { type: 'us_bank_account', us_bank_account: { bank_name: 'STRIPE TEST BANK', last4: '6789' } };
  const charges = await stripe.charges.list({ customer: customer.id });
  expect(charges.data).toMatchObject([{ payment_method_details: details }]);
  const listed = async (type: 'card' | 'us_bank_account') =>
    (await stripe.paymentMethods.list({ customer: customer.id, type })).data;
  expect(await listed('us_bank_account')).toMatchObject([details]);
  expect(await listed('card')).toEqual([]);
});

test('creates a subscription that the customer’s default card pays, with the events of a checkout', async () => {
  await using processor = await startProcessor();
  const { stripe, create } = await createAccount(processor);
  const before = (await eventTypes(stripe)).length;

  const subscription = await create({ metadata: { a: '1' }, expand: ['latest_invoice'] });

  expect(subscription).toMatchObject({
    status: 'active',
    metadata: { a: '1' },
    default_payment_method: null,
    collection_method: 'charge_automatically',
    latest_invoice: { status: 'paid', total: 5998, billing_reason: 'subscription_create' },
  });
  const types = (await eventTypes(stripe)).slice(before);
  const byCheckout = connect(processor);
  const { session } = await openCheckout(byCheckout);
  await fetch(session.url ?? '', { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' });
  const isOfCheckout = (type: string) => !/^(checkout|payment_method|product|price|customer\.created)/.test(type);
  expect(types).toEqual((await eventTypes(byCheckout)).filter(isOfCheckout));
});

test('starts a trial without a card, and bills it later', async () => {
  await using processor = await startProcessor();
  const { stripe, control, create, method } = await createAccount(processor);
  const trial = await create({ trial_period_days: 7 });
  expect(trial).toMatchObject({ status: 'trialing', trial_end: trial.start_date + 7 * DAY });
  const until = trial.start_date + 30 * DAY;
  const own = await create({ trial_end: until, default_payment_method: method.id });
  expect(own).toMatchObject({ trial_end: until, default_payment_method: method.id, billing_cycle_anchor: until });
  await control.advanceClock(8 * DAY);
  expect(await stripe.subscriptions.retrieve(trial.id)).toMatchObject({ status: 'active' });
  await expect(create({ trial_end: until, trial_period_days: 1 })).rejects.toMatchObject({ param: 'trial_end' });
});

test('needs no card while discounts leave nothing to pay', async () => {
  await using processor = await startProcessor();
  const { stripe, create, customer, price, method } = await createAccount(processor);
  await stripe.paymentMethods.detach(method.id);
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: '' } });
  const [all, half] = await Promise.all(
    [100, 50].map(percent_off => stripe.coupons.create({ percent_off, duration: 'forever' })),
  );
  const free = await create({ discounts: [{ coupon: all?.id ?? '' }], expand: ['latest_invoice'] });
  expect(free).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', total: 0 } });
  const item = { price: price.id, discounts: [{ coupon: all?.id ?? '' }] };
  const freeItem = await create({ items: [item], expand: ['latest_invoice'] });
  expect(freeItem).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', total: 0 } });
  const { id: product } = await stripe.products.create({ name: 'Support' });
  const monthly = { currency: 'usd', unit_amount: 500, recurring: { interval: 'month' as const } };
  const support = await stripe.prices.create({ product, ...monthly });
  for (const part of [
    { discounts: [{ coupon: half?.id ?? '' }] },
    { items: [{ price: price.id, discounts: [{ coupon: half?.id ?? '' }] }] },
    { items: [item, { price: support.id }] },
  ])
    await expect(create(part)).rejects.toMatchObject({ statusCode: 400, code: 'resource_missing' });
});

test('is incomplete when its card declines, and ends after 23 hours', async () => {
  await using processor = await startProcessor();
  const { stripe, control, create } = await createAccount(processor, 'pm_card_chargeCustomerFail');
  const subscription = await create({ expand: ['latest_invoice'] });
  expect(subscription).toMatchObject({ status: 'incomplete', latest_invoice: { status: 'open', attempt_count: 1 } });
  await expect(create({ payment_behavior: 'error_if_incomplete' })).rejects.toMatchObject({ statusCode: 402 });
  expect((await stripe.subscriptions.list({ status: 'all' })).data).toHaveLength(1);

  await control.advanceClock(24 * HOUR);

  const expired = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
  expect(expired).toMatchObject({ status: 'incomplete_expired', latest_invoice: { status: 'void' } });
});

test('becomes active when its first invoice is paid in time', async () => {
  await using processor = await startProcessor();
  const { stripe, create, method } = await createAccount(processor);
  const subscription = await create({ payment_behavior: 'default_incomplete' });
  expect(subscription.status).toBe('incomplete');
  await stripe.invoices.pay(idOf(subscription.latest_invoice), { payment_method: method.id });
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'active' });
  const [event] = (await stripe.events.list({ type: 'customer.subscription.updated' })).data;
  expect(event?.data.previous_attributes).toEqual({ status: 'incomplete' });
});

test('sends an invoice instead of charging a card, an hour later', async () => {
  await using processor = await startProcessor();
  const { control, create, stripe } = await createAccount(processor);
  const wanted = { collection_method: 'send_invoice', days_until_due: 10, expand: ['latest_invoice'] } as const;
  const subscription = await create({ ...wanted, expand: [...wanted.expand] });
  expect(subscription).toMatchObject({ status: 'active', collection_method: 'send_invoice', days_until_due: 10 });
  const finalizes = subscription.start_date + HOUR;
  const draft = { status: 'draft', automatically_finalizes_at: finalizes, number: null };
  expect(subscription.latest_invoice).toMatchObject(draft);
  await control.advanceClock(HOUR + 1);
  const due = { status: 'open', attempt_count: 0, due_date: finalizes + 10 * DAY, automatically_finalizes_at: null };
  expect(await stripe.invoices.retrieve(idOf(subscription.latest_invoice))).toMatchObject(due);
  await control.advanceClock(32 * DAY);
  const renewed = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
  expect(renewed).toMatchObject({ status: 'active', latest_invoice: { status: 'open', attempt_count: 0 } });
  await expect(create({ collection_method: 'send_invoice' })).rejects.toMatchObject({ param: 'days_until_due' });
});

test('may end with its period', async () => {
  await using processor = await startProcessor();
  const { create } = await createAccount(processor);
  const ending = await create({ cancel_at_period_end: true });
  expect(ending).toMatchObject({ cancel_at_period_end: true, cancel_at: ending.items.data[0]?.current_period_end });
});

test.each<[string, (price: string) => object, object]>([
  ['no items', () => ({ items: undefined }), { param: 'items' }],
  ['an unknown customer', () => ({ customer: 'cus_none' }), { code: 'resource_missing', param: 'customer' }],
  ['an unknown price', () => ({ items: [{ price: 'price_none' }] }), { param: 'items[0][price]' }],
  ['a foreign card', () => ({ default_payment_method: 'pm_none' }), { param: 'default_payment_method' }],
  ['another currency', () => ({ currency: 'eur' }), { param: 'items[0][price]' }],
  ['an unknown parameter', () => ({ coupon: 'x' }), { code: 'parameter_unknown', param: 'coupon' }],
])('rejects a subscription with %s', async (_, change, error) => {
  await using processor = await startProcessor();
  const { create, price } = await createAccount(processor);
  await expect(create(change(price.id))).rejects.toMatchObject({ statusCode: 400, ...error });
});

test('rejects a subscription that nothing can pay', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { customer, price } = await createCustomerAndPrice(stripe);
  const attempt = stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  await expect(attempt).rejects.toMatchObject({ statusCode: 400, code: 'resource_missing' });
  const payable = await stripe.customers.create({
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const subscription = await stripe.subscriptions.create({ customer: payable.id, items: [{ price: price.id }] });
  expect(subscription).toMatchObject({ status: 'active', items: { data: [{ quantity: 1 }] } });
});

import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { createCustomerAndPrice, idOf, openCheckout } from './checkout-fixtures.ts';
import { connect, freshKey, startProcessor } from './processor.ts';

const DAY = 86_400;
const HOUR = 3_600;

type More = Partial<Stripe.SubscriptionCreateParams>;

async function startSelling(processor: { url: string }) {
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  const { customer, price } = await createCustomerAndPrice(stripe);
  const product = await stripe.products.create({ name: 'Setup' });
  const fee = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 9900 });
  const create = (more: More = {}) =>
    stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }], ...more });
  return { stripe, control, customer, price, fee, create };
}

const onTrial = (outcome: 'cancel' | 'create_invoice' | 'pause') =>
  ({ trial_period_days: 7, trial_settings: { end_behavior: { missing_payment_method: outcome } } }) as const;

test('bills a one-time price with the first invoice, and not with the next', async () => {
  await using processor = await startProcessor();
  const { stripe, control, customer, fee, create } = await startSelling(processor);
  await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
  const [method] = (await stripe.paymentMethods.list({ customer: customer.id })).data;
  const subscription = await create({
    add_invoice_items: [{ price: fee.id, quantity: 2 }],
    default_payment_method: method?.id ?? '',
    expand: ['latest_invoice'],
  });
  expect(subscription).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', total: 2_999 + 19_800 } });
  const [item] = (await stripe.invoiceItems.list({ customer: customer.id })).data;
  const parent = { subscription_details: { subscription: subscription.id } };
  expect(item).toMatchObject({ invoice: idOf(subscription.latest_invoice), amount: 19_800, parent });
  await control.advanceClock(32 * DAY);
  const renewed = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
  expect(renewed.latest_invoice).toMatchObject({ total: 2_999 });
});

test.each([
  { outcome: 'cancel', status: 'canceled', invoices: 1 },
  { outcome: 'pause', status: 'paused', invoices: 1 },
  { outcome: 'create_invoice', status: 'past_due', invoices: 2 },
] as const)('ends a trial without a payment method: $outcome', async ({ outcome, status, invoices }) => {
  await using processor = await startProcessor();
  const { stripe, control, customer, create } = await startSelling(processor);
  const { id } = await create(onTrial(outcome));
  await control.advanceClock(8 * DAY);
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status });
  expect((await stripe.invoices.list({ customer: customer.id })).data).toHaveLength(invoices);
});

test('goes on after a trial with a payment method, or an invoice that is sent', async () => {
  await using processor = await startProcessor();
  const { stripe, control, customer, create } = await startSelling(processor);
  const sent = await create({ ...onTrial('cancel'), collection_method: 'send_invoice', days_until_due: 5 });
  const charged = await create(onTrial('cancel'));
  const method = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
  await stripe.subscriptions.update(charged.id, { default_payment_method: method.id });
  await control.advanceClock(2 * HOUR);
  expect(await stripe.invoices.retrieve(idOf(sent.latest_invoice))).toMatchObject({ status: 'paid', total: 0 });
  expect(await stripe.subscriptions.retrieve(sent.id)).toMatchObject({ status: 'trialing' });
  await control.advanceClock(8 * DAY);
  for (const { id } of [sent, charged])
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' });
});

test('needs no payment method where credit covers the first invoice, and one where tax makes it due', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, price, create } = await startSelling(processor);
  const { id } = await stripe.customers.create({ address: { country: 'DE' } });
  await stripe.prices.update(price.id, { tax_behavior: 'exclusive' });
  for (const owner of [customer.id, id])
    await stripe.customers.createBalanceTransaction(owner, { amount: -2_999, currency: 'usd' });
  expect(await create({ payment_behavior: 'error_if_incomplete' })).toMatchObject({ status: 'active' });
  const taxed = create({ customer: id, automatic_tax: { enabled: true } });
  await expect(taxed).rejects.toMatchObject({ statusCode: 400, code: 'resource_missing' });
});

test('leaves nothing of a subscription whose payment fails', async () => {
  await using processor = await startProcessor();
  const { stripe, control, customer, fee, create } = await startSelling(processor);
  const method = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id });
  const coupon = await stripe.coupons.create({ percent_off: 10, duration: 'once' });
  const before = [(await control.ledger()).objects, (await stripe.events.list({ limit: 100 })).data];
  const refused = create({
    payment_behavior: 'error_if_incomplete',
    default_payment_method: method.id,
    add_invoice_items: [{ price: fee.id }],
    discounts: [{ coupon: coupon.id }],
  });
  await expect(refused).rejects.toMatchObject({ statusCode: 402, code: 'card_declined' });
  expect([(await control.ledger()).objects, (await stripe.events.list({ limit: 100 })).data]).toEqual(before);
});

test('redeems a code for what is billed once as well', async () => {
  await using processor = await startProcessor();
  const { stripe, fee, create } = await startSelling(processor);
  const coupon = await stripe.coupons.create({ percent_off: 100, duration: 'once' });
  const restrictions = { minimum_amount: 10_000, minimum_amount_currency: 'usd' };
  const code = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id }, restrictions });
  const discounts = [{ promotion_code: code.id }];
  await expect(create({ discounts })).rejects.toThrow(/minimum amount/);
  const free = await create({ discounts, add_invoice_items: [{ price: fee.id }], expand: ['latest_invoice'] });
  expect(free).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', total: 0 } });
});

test('keeps a first invoice a draft that is paused, and finalizes that of a subscription that has ended', async () => {
  await using processor = await startProcessor();
  const { stripe, control, create } = await startSelling(processor);
  const sent = { collection_method: 'send_invoice', days_until_due: 5 } as const;
  const [paused, ended] = [await create(sent), await create(sent)];
  await stripe.subscriptions.update(paused.id, { pause_collection: { behavior: 'keep_as_draft' } });
  await stripe.subscriptions.cancel(ended.id);
  await control.advanceClock(2 * HOUR);
  const statusOf = async ({ latest_invoice }: Stripe.Subscription) =>
    (await stripe.invoices.retrieve(idOf(latest_invoice))).status;
  expect([await statusOf(paused), await statusOf(ended)]).toEqual(['draft', 'open']);
  expect(await stripe.subscriptions.retrieve(ended.id)).toMatchObject({ status: 'canceled' });
});

test.each<[string, Stripe.InvoiceCreatePreviewParams.SubscriptionDetails, object]>([
  ['no price', { items: [{ quantity: 1 }] }, { param: 'subscription_details[items][0][price]' }],
  ['an unknown price', { items: [{ price: 'price_none' }] }, { param: 'subscription_details[items][0][price]' }],
  ['a trial that is over', { items: [], trial_end: 1_000 }, { param: 'trial_end' }],
  ['what is not there yet', { items: [], cancel_at_period_end: true }, {}],
])('rejects the preview of a new subscription with %s', async (_, details, error) => {
  await using processor = await startProcessor();
  const { stripe, customer, price } = await startSelling(processor);
  const items = details.items?.length === 0 ? [{ price: price.id }] : details.items;
  const preview = stripe.invoices.createPreview({
    customer: customer.id,
    subscription_details: { ...details, ...(items && { items }) },
  });
  await expect(preview).rejects.toMatchObject({ statusCode: 400, ...error });
});

const success_url = 'http://localhost:9/done';
const return_url = 'http://localhost:9/done?session={CHECKOUT_SESSION_ID}';

test.each<[string, Partial<Stripe.Checkout.SessionCreateParams>, string | RegExp]>([
  ['no URL', { ui_mode: 'embedded_page' }, 'Missing required param: return_url.'],
  [
    'the URLs of a hosted page',
    { ui_mode: 'embedded_page', return_url, success_url },
    /not supported.*: success_url\.$/,
  ],
  ['the URL of an embedded page', { success_url, return_url }, /not supported.*: return_url\.$/],
  ['a choice of payments', { success_url, mode: 'setup', payment_method_collection: 'always' }, /in `setup` mode/],
])('rejects a session with %s', async (_, more, message) => {
  await using processor = await startProcessor();
  const { stripe, customer, price } = await startSelling(processor);
  const line_items = [{ price: price.id, quantity: 1 }];
  const session = stripe.checkout.sessions.create({ mode: 'subscription', customer: customer.id, line_items, ...more });
  await expect(session).rejects.toThrow(message);
});

test('completes an embedded session, without a card where none is required', async () => {
  await using processor = await startProcessor();
  const { stripe, control, customer, price } = await startSelling(processor);
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price: price.id, quantity: 1 }],
    payment_method_collection: 'if_required',
    return_url,
    subscription_data: onTrial('pause'),
    ui_mode: 'embedded_page',
  });
  const embedded = { url: null, success_url: null, cancel_url: null, return_url, ui_mode: 'embedded_page' };
  expect(session).toMatchObject({ ...embedded, client_secret: expect.stringMatching(`^${session.id}_secret_`) });
  await control.checkout(session.id, 'pay');
  const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription'] });
  const trial = { status: 'trialing', default_payment_method: null };
  expect(paid).toMatchObject({ payment_status: 'no_payment_required', subscription: trial });
  expect((await stripe.paymentMethods.list({ customer: customer.id })).data).toEqual([]);
  await control.advanceClock(8 * DAY);
  expect(await stripe.subscriptions.retrieve(idOf(paid.subscription))).toMatchObject({ status: 'paused' });
});

test('asks for a card all the same where something is due', async () => {
  await using processor = await startProcessor();
  const { stripe, control } = await startSelling(processor);
  const { session, customer } = await openCheckout(stripe, { payment_method_collection: 'if_required' });
  await control.checkout(session.id, 'pay');
  expect((await stripe.paymentMethods.list({ customer: customer.id })).data).toHaveLength(1);
});

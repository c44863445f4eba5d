import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { amountsOf, invoiceOf, seconds, startOnClock } from './change-fixtures.ts';
import { idOf, openCheckout, press } from './checkout-fixtures.ts';
import { connect, startProcessor } from './processor.ts';

const DAY = 86_400;
const FEE = { amount: 5_000, description: 'Setup' };

/** A customer who lives on a test clock and has a subscription of 10.00 usd a month, and their drafts. */
async function start(processor: { url: string }, card?: string) {
  const account = await startOnClock(processor, '2026-04-01', card === undefined ? {} : { card });
  const { stripe, customer } = account;
  const draft = async (more: Stripe.InvoiceCreateParams = {}, lines: Stripe.InvoiceAddLinesParams.Line[] = [FEE]) => {
    const { id } = await stripe.invoices.create({ customer: customer.id, currency: 'usd', ...more });
    return stripe.invoices.addLines(id, { lines });
  };
  const addItem = (more: Stripe.InvoiceItemCreateParams = {}) =>
    stripe.invoiceItems.create({ customer: customer.id, currency: 'usd', ...FEE, ...more });
  const credit = (amount: number) =>
    stripe.customers.createBalanceTransaction(customer.id, { amount: -amount, currency: 'usd' });
  return { ...account, draft, addItem, credit };
}

test('uses the credit of its customer, and credits a negative total', async () => {
  await using processor = await startProcessor();
  const { stripe, draft, credit, balance } = await start(processor);
  await credit(1_000);
  const open = await stripe.invoices.finalizeInvoice((await draft()).id);
  expect(open).toMatchObject({ total: 5_000, amount_due: 4_000, starting_balance: -1_000, ending_balance: 0 });
  expect(await balance()).toBe(0);

  const refund = await stripe.invoices.finalizeInvoice((await draft({}, [{ amount: -700 }])).id);
  expect(refund).toMatchObject({ status: 'paid', total: -700, amount_due: 0, amount_paid: 0 });
  expect(await balance()).toBe(-700);
});

test('leaves the credit of a customer alone in a one-time checkout', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const customer = await stripe.customers.create({ balance: -1_000 });
  const product = await stripe.products.create({ name: 'Book' });
  const price = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 2_000 });
  const line_items = [{ price: price.id, quantity: 1 }];
  const more = { customer: customer.id, mode: 'payment', invoice_creation: { enabled: true }, line_items } as const;
  const { session } = await openCheckout(stripe, more);
  await press(session, 'pay');
  const [invoice] = (await stripe.invoices.list({ customer: customer.id })).data;
  expect(invoice).toMatchObject({ status: 'paid', amount_paid: 2_000, starting_balance: 0 });
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ balance: -1_000 });
});

test('stays a draft for ever, and is due some days after it was finalized', async () => {
  await using processor = await startProcessor();
  const { stripe, draft, advance } = await start(processor);
  const { id } = await draft({ collection_method: 'send_invoice', days_until_due: 7 });
  await advance('2026-05-20');
  expect(await stripe.invoices.retrieve(id)).toMatchObject({ status: 'draft' });
  const open = await stripe.invoices.finalizeInvoice(id);
  expect(open).toMatchObject({ status: 'open', due_date: seconds('2026-05-27') });
});

test('collects itself when it is to advance, and tries again as for a subscription', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, draft, advance } = await start(processor, 'pm_card_visa');
  const method = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id });
  const useCard = (id: string) =>
    stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: id } });
  const good = idOf(customer.invoice_settings.default_payment_method);
  await useCard(method.id);
  const [advancing, waiting] = [await draft(), await draft()];
  const begun = seconds('2026-04-01');
  await stripe.invoices.finalizeInvoice(advancing.id, { auto_advance: true });
  await stripe.invoices.finalizeInvoice(waiting.id);
  await advance(begun + 2 * 3_600);
  const failed = await stripe.invoices.retrieve(advancing.id);
  expect(failed).toMatchObject({ attempt_count: 1, next_payment_attempt: begun + 3_600 + 3 * DAY });
  await useCard(good);
  await advance(begun + 4 * DAY);
  expect(await stripe.invoices.retrieve(advancing.id)).toMatchObject({ status: 'paid', attempt_count: 2 });
  expect(await stripe.invoices.retrieve(waiting.id)).toMatchObject({ status: 'open', attempted: false });
});

test('is paid on its page, with its tax and its lines', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, draft } = await start(processor);
  await stripe.customers.update(customer.id, { address: { country: 'DE' } });
  const { id } = await draft({ automatic_tax: { enabled: true } });
  const { hosted_invoice_url: url = null } = await stripe.invoices.finalizeInvoice(id);
  const page = await (await fetch(url ?? '')).text();
  for (const text of ['Setup', '$50.00', 'Tax', '$9.50', 'Pay $59.50']) expect(page).toContain(text);
  expect(page).not.toContain('Discount');
  await press({ url }, 'pay');
  expect(await stripe.invoices.retrieve(id)).toMatchObject({ status: 'paid', amount_paid: 5_950 });
});

test('is not finalized without the location that its tax needs', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, draft } = await start(processor);
  await stripe.customers.update(customer.id, { address: { country: 'US' } });
  const { id } = await draft({ automatic_tax: { enabled: true } });
  const code = 'customer_tax_location_invalid';
  await expect(stripe.invoices.finalizeInvoice(id)).rejects.toMatchObject({ code });
  expect(await stripe.invoices.retrieve(id)).toMatchObject({ status: 'draft' });
});

test('is charged to nothing any more once it is paid elsewhere', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, draft } = await start(processor);
  const { id } = await draft();
  await stripe.invoices.finalizeInvoice(id);
  await stripe.invoices.pay(id, { paid_out_of_band: true });
  expect((await stripe.invoicePayments.list({ invoice: id })).data).toMatchObject([{ status: 'canceled' }]);
  const intents = (await stripe.paymentIntents.list({ customer: customer.id })).data;
  expect(intents.find(({ description }) => description === 'Payment for Invoice')).toMatchObject({
    status: 'canceled',
  });
});

test('redeems a code whose least amount its lines reach', async () => {
  await using processor = await startProcessor();
  const { stripe, draft } = await start(processor);
  const coupon = (await stripe.coupons.create({ percent_off: 10, duration: 'once' })).id;
  const restrictions = { minimum_amount: 4_000, minimum_amount_currency: 'usd' };
  const code = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon }, restrictions });
  const discounts = [{ promotion_code: code.id }];
  expect(await draft({ discounts })).toMatchObject({ subtotal: 5_000, total: 4_500 });
  const less = draft({ discounts }, [{ amount: 3_999 }]);
  await expect(less).rejects.toMatchObject({ param: 'discounts[0][promotion_code]' });
  expect((await stripe.promotionCodes.retrieve(code.id)).times_redeemed).toBe(2);
  expect(await draft({ discounts: '' })).toMatchObject({ discounts: [], total: 5_000 });
});

test('bills items with a renewal, as its preview shows, with its discount and tax', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, subscription, addItem, preview, advance, current } = await start(processor);
  await stripe.customers.update(customer.id, { address: { country: 'DE' } });
  const coupon = (await stripe.coupons.create({ amount_off: 600, currency: 'usd', duration: 'forever' })).id;
  await stripe.subscriptions.update(subscription.id, { automatic_tax: { enabled: true }, discounts: [{ coupon }] });
  await addItem({ subscription: subscription.id });
  await addItem({ amount: -1_000 });
  await addItem({ currency: 'eur' });
  const next = await preview({});
  expect(amountsOf(next)).toEqual([5_000, -1_000, 1_000]);
  expect(next).toMatchObject({ subtotal: 5_000, total_discount_amounts: [{ amount: 600 }], total: 5_236 });

  await advance(next.created);

  const invoice = invoiceOf(await current());
  expect(amountsOf(invoice)).toEqual(amountsOf(next));
  expect(invoice).toMatchObject({ total: next.total, amount_due: next.amount_due, total_taxes: next.total_taxes });
  expect((await stripe.invoiceItems.list({ customer: customer.id, pending: true })).data).toHaveLength(1);
});

test('lets an item wait again when the change that would bill it is given up', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, subscription, addItem, change, to } = await start(processor);
  const item = await addItem({ subscription: subscription.id });
  const { id } = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id });
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: id } });
  const terms = { proration_behavior: 'always_invoice', payment_behavior: 'pending_if_incomplete' } as const;
  const held = await change({ ...to({ quantity: 3 }), ...terms });
  expect(await stripe.invoiceItems.retrieve(item.id)).toMatchObject({ invoice: invoiceOf(held).id });
  await stripe.invoices.voidInvoice(invoiceOf(held).id);
  expect(await stripe.invoiceItems.retrieve(item.id)).toMatchObject({ invoice: null });
});

test('refuses items for what bills no more, or something else', async () => {
  await using processor = await startProcessor();
  const { stripe, subscription, addItem, draft } = await start(processor);
  const eve = await stripe.customers.create();
  const open = await stripe.invoices.finalizeInvoice((await draft()).id);
  const refusals: [Stripe.InvoiceItemCreateParams, string | undefined][] = [
    [{ subscription: subscription.id, currency: 'eur' }, 'currency'],
    [{ subscription: subscription.id, customer: eve.id }, 'subscription'],
    [{ invoice: open.id }, undefined],
    [{ invoice: (await draft()).id, customer: eve.id }, 'invoice'],
  ];
  for (const [params, param] of refusals)
    await expect(addItem(params)).rejects.toMatchObject({ statusCode: 400, param });
  await stripe.subscriptions.cancel(subscription.id);
  await expect(addItem({ subscription: subscription.id })).rejects.toMatchObject({ param: 'subscription' });
});

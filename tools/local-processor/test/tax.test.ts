import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { startOnClock } from './change-fixtures.ts';
import { idOf, openCheckout, press } from './checkout-fixtures.ts';
import { connect, startProcessor } from './processor.ts';

const NOWHERE = { address: { country: 'US' }, tax: { validate_location: 'deferred' } } as const;

/** A subscription of 10.00 usd a month, which is taxed where the customer is. */
async function startTaxed(processor: { url: string }, address: Stripe.AddressParam, behavior?: 'inclusive') {
  const account = await startOnClock(processor, '2026-01-01');
  const { stripe, customer, price } = account;
  await stripe.customers.update(customer.id, { address });
  if (behavior) await stripe.prices.update(price.id, { tax_behavior: behavior });
  await stripe.subscriptions.cancel(account.subscription.id);
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    automatic_tax: { enabled: true },
    expand: ['latest_invoice'],
  });
  const first = subscription.latest_invoice as Stripe.Invoice; // expanded
  const current = () => stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
  return { ...account, subscription, first, current };
}

test('creates, lists and deletes tax ids, which a register verifies', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { id } = await stripe.customers.create();
  const made = await stripe.customers.createTaxId(id, { type: 'eu_vat', value: 'DE123456789' });
  expect(made).toMatchObject({ country: 'DE', customer: id, verification: { status: 'pending' } });
  await stripe.customers.createTaxId(id, { type: 'us_ein', value: '12-3456789' });
  const refused = stripe.customers.createTaxId(id, { type: 'eu_vat', value: 'DE1' });
  await expect(refused).rejects.toMatchObject({ code: 'tax_id_invalid', param: 'value' });

  const { data } = await stripe.customers.listTaxIds(id);
  expect(data.map(({ type, verification }) => [type, verification?.status])).toEqual([
    ['us_ein', 'unavailable'],
    ['eu_vat', 'verified'],
  ]);
  expect(await stripe.customers.deleteTaxId(id, made.id)).toEqual({ id: made.id, object: 'tax_id', deleted: true });
  await expect(stripe.customers.retrieveTaxId(id, made.id)).rejects.toMatchObject({ statusCode: 404 });
  const expanded = await stripe.customers.retrieve(id, { expand: ['tax_ids'] });
  expect(expanded).toMatchObject({ tax_ids: { data: [{ type: 'us_ein' }] } });
  const types = (await stripe.events.list()).data.map(({ type }) => type);
  expect(types.filter(type => type.startsWith('customer.tax_id')).toReversed()).toEqual([
    'customer.tax_id.created',
    'customer.tax_id.updated',
    'customer.tax_id.created',
    'customer.tax_id.deleted',
  ]);
});

test('deletes no tax id of another customer', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const [{ id }, other] = [await stripe.customers.create(), await stripe.customers.create()];
  const taxId = await stripe.customers.createTaxId(id, { type: 'us_ein', value: '123456789' });
  await expect(stripe.customers.deleteTaxId(other.id, taxId.id)).rejects.toMatchObject({ statusCode: 404 });
});

test('keeps billing details, and clears them with an empty text', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { id } = await stripe.customers.create();
  const details = {
    business_name: 'Ada GmbH',
    preferred_locales: ['de'],
    tax_exempt: 'reverse' as const,
    invoice_settings: { custom_fields: [{ name: 'PO number', value: '7' }] },
  };
  expect(await stripe.customers.update(id, details)).toMatchObject(details);
  const cleared = { business_name: '', preferred_locales: [], tax_exempt: '', invoice_settings: { custom_fields: '' } };
  expect(await stripe.customers.update(id, cleared as Stripe.CustomerUpdateParams)).toMatchObject({
    business_name: null,
    tax_exempt: 'none',
    invoice_settings: { custom_fields: null },
  });
  const fields = Array.from({ length: 5 }, (_, index) => ({ name: `F${index}`, value: 'x' }));
  await expect(stripe.customers.update(id, { invoice_settings: { custom_fields: fields } })).rejects.toThrow(
    /custom_fields/,
  );
});

test('validates a location at once where that is wanted, or a subscription is taxed', async () => {
  await using processor = await startProcessor();
  const { stripe, customer } = await startTaxed(processor, { country: 'DE' });
  const invalid = { code: 'customer_tax_location_invalid', statusCode: 400 };
  const vague = stripe.customers.update(customer.id, { address: { country: 'US' } });
  await expect(vague).rejects.toMatchObject(invalid);
  const stranger = await stripe.customers.create({ address: { country: 'US' } });
  const lacks = { address: { country: 'XX' }, tax: { validate_location: 'immediately' } } as const;
  await expect(stripe.customers.update(stranger.id, lacks)).rejects.toMatchObject(invalid);
  const { tax } = (await stripe.customers.retrieve(stranger.id, { expand: ['tax'] })) as Stripe.Customer; // not deleted
  expect(tax).toMatchObject({ automatic_tax: 'unrecognized_location', location: null });
});

test('adds the tax of the customer’s country to invoices and previews', async () => {
  await using processor = await startProcessor();
  const { first, stripe, subscription } = await startTaxed(processor, { country: 'DE' });
  expect(first).toMatchObject({
    subtotal: 1_000,
    total: 1_190,
    amount_due: 1_190,
    amount_paid: 1_190,
    total_excluding_tax: 1_000,
    automatic_tax: { enabled: true, status: 'complete' },
    total_taxes: [
      { amount: 190, taxable_amount: 1_000, tax_behavior: 'exclusive', taxability_reason: 'standard_rated' },
    ],
    customer_address: { country: 'DE' },
  });
  const preview = await stripe.invoices.createPreview({ subscription: subscription.id });
  expect(preview).toMatchObject({ total: 1_190, lines: { data: [{ taxes: [{ amount: 190 }] }] } });
});

test('takes the tax out of a price that includes it', async () => {
  await using processor = await startProcessor();
  const { first, stripe, price } = await startTaxed(processor, { country: 'DE' }, 'inclusive');
  expect(first).toMatchObject({
    subtotal: 1_000,
    total: 1_000,
    total_excluding_tax: 840,
    total_taxes: [{ amount: 160 }],
  });
  await expect(stripe.prices.update(price.id, { tax_behavior: 'exclusive' })).rejects.toThrow(/once it is set/);
});

test('leaves the tax to a business of the same country, and prints its tax id and order number', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, advance, current } = await startTaxed(processor, { country: 'DE' });
  await stripe.customers.createTaxId(customer.id, { type: 'eu_vat', value: 'DE123456789' });
  const custom_fields = [{ name: 'PO number', value: '7' }];
  await stripe.customers.update(customer.id, { business_name: 'Ada GmbH', invoice_settings: { custom_fields } });
  await advance('2026-02-02');
  expect((await current()).latest_invoice).toMatchObject({
    total: 1_000,
    total_taxes: [{ amount: 0, taxability_reason: 'reverse_charge' }],
    customer_tax_ids: [{ type: 'eu_vat', value: 'DE123456789' }],
    customer_name: 'Ada GmbH',
    custom_fields,
  });
});

test('stops the tax of a subscription whose location is lost at a renewal, and goes on billing', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, advance, current, subscription } = await startTaxed(processor, { country: 'DE' });
  await stripe.customers.update(customer.id, NOWHERE);
  await advance('2026-02-02');
  expect(await current()).toMatchObject({
    status: 'active',
    automatic_tax: { enabled: false, disabled_reason: 'requires_location_inputs' },
    latest_invoice: {
      status: 'paid',
      total: 1_000,
      automatic_tax: { enabled: false, disabled_reason: 'finalization_requires_location_inputs' },
    },
  });
  const on = { automatic_tax: { enabled: true } };
  const refused = stripe.subscriptions.update(subscription.id, on);
  await expect(refused).rejects.toMatchObject({ code: 'customer_tax_location_invalid' });

  await stripe.customers.update(customer.id, { address: { country: 'FR' } });
  const again = await stripe.subscriptions.update(subscription.id, on);
  expect(again.automatic_tax).toMatchObject({ enabled: true, disabled_reason: null });
  await advance('2026-03-02');
  expect((await current()).latest_invoice).toMatchObject({ total: 1_200 });
});

test('stops the tax in the schedule of a subscription too', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, advance, subscription } = await startTaxed(processor, { country: 'DE' });
  const { id } = await stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
  const [phase] = (await stripe.subscriptionSchedules.retrieve(id)).phases;
  const items = [{ price: idOf(phase?.items[0]?.price ?? null) }];
  const start_date = phase?.start_date ?? 0;
  const duration = { interval: 'year' as const };
  const phases = [{ items, start_date, duration, automatic_tax: { enabled: true } }];
  await stripe.subscriptionSchedules.update(id, { phases });
  await stripe.customers.update(customer.id, NOWHERE);
  await advance('2026-02-02');
  const stopped = { enabled: false, disabled_reason: 'requires_location_inputs' };
  expect(await stripe.subscriptionSchedules.retrieve(id)).toMatchObject({
    phases: [{ automatic_tax: stopped }],
    default_settings: { automatic_tax: stopped },
  });
});

test('taxes a checkout where the customer is', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { id: customer } = await stripe.customers.create({ address: { country: 'GB' } });
  const options = { customer, automatic_tax: { enabled: true } };
  const { session } = await openCheckout(stripe, options);
  expect(session).toMatchObject({
    amount_subtotal: 2_999,
    amount_total: 3_599,
    total_details: { amount_tax: 600 },
    automatic_tax: { status: 'complete' },
  });
  await press(session, 'pay');
  const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['invoice'] });
  expect(paid).toMatchObject({ amount_total: 3_599, invoice: { total: 3_599, amount_paid: 3_599 } });
});

test('charges the tax of where the customer is when a checkout is paid, not that of a declined attempt before', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { id: customer } = await stripe.customers.create({ address: { country: 'GB' } });
  const { id: product } = await stripe.products.create({ name: 'Book' });
  const { id: price } = await stripe.prices.create({ product, currency: 'usd', unit_amount: 1_000 });
  const { session } = await openCheckout(stripe, {
    customer,
    mode: 'payment',
    line_items: [{ price, quantity: 1 }],
    automatic_tax: { enabled: true },
  });
  await press(session, 'decline');
  await stripe.customers.update(customer, { address: { country: 'DE' } });
  await press(session, 'pay');

  const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] });
  expect(paid).toMatchObject({
    status: 'complete',
    amount_total: 1_190,
    total_details: { amount_tax: 190 },
    payment_intent: { amount: 1_190, status: 'succeeded' },
  });
  const { data } = await stripe.paymentIntents.list({ customer });
  expect(data.map(({ amount, status }) => [amount, status])).toEqual([
    [1_190, 'succeeded'],
    [1_200, 'requires_payment_method'],
  ]);
});

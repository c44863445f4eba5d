import { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';
import { idOf, press } from './checkout-fixtures.ts';

const DAY = 86_400;
const monthly = { interval: 'month' } as const;

async function start(processor: { url: string }) {
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  const { id: product } = await stripe.products.create({ name: 'Pro' });
  const customer = await stripe.customers.create({
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const createPrice = (more: Partial<Stripe.PriceCreateParams>) =>
    stripe.prices.create({ product, currency: 'usd', recurring: monthly, ...more });
  const subscribe = (price: Stripe.Price, more: Partial<Stripe.SubscriptionCreateParams> = {}, quantity = 1) =>
    stripe.subscriptions.create({
      customer: customer.id,
      items: [price.recurring?.usage_type === 'metered' ? { price: price.id } : { price: price.id, quantity }],
      expand: ['latest_invoice'],
      ...more,
    });
  return { stripe, control, customer, createPrice, subscribe };
}

test('bills fractions of a cent', async () => {
  await using processor = await startProcessor();
  const { createPrice, subscribe } = await start(processor);
  const price = await createPrice({ unit_amount_decimal: Stripe.Decimal.from('0.250') });
  expect(price).toMatchObject({ unit_amount: null, billing_scheme: 'per_unit' });
  expect(price.unit_amount_decimal?.toString()).toBe('0.25');
  const whole = await createPrice({ unit_amount_decimal: Stripe.Decimal.from('300') });
  expect(whole.unit_amount).toBe(300);
  const subscription = await subscribe(price, {}, 1_002);
  expect(subscription.latest_invoice).toMatchObject({ total: 251, lines: { data: [{ quantity: 1_002 }] } });
});

test('bills packages of units', async () => {
  await using processor = await startProcessor();
  const { createPrice, subscribe } = await start(processor);
  const transform_quantity = { divide_by: 10, round: 'up' } as const;
  const price = await createPrice({ unit_amount: 500, transform_quantity });
  const subscription = await subscribe(price, {}, 11);
  expect(subscription).toMatchObject({
    items: { data: [{ quantity: 11, plan: { transform_usage: transform_quantity } }] },
    latest_invoice: { total: 1_000 },
  });
});

test.each([
  ['graduated' as const, 10 * 100 + 5 * 50 + 300],
  ['volume' as const, 15 * 50 + 300],
])('bills %s tiers, which it shows only when they are expanded', async (tiers_mode, total) => {
  await using processor = await startProcessor();
  const { stripe, createPrice, subscribe } = await start(processor);
  const tiers = [
    { up_to: 10, unit_amount: 100 },
    { up_to: 'inf' as const, unit_amount: 50, flat_amount: 300 },
  ];
  const price = await createPrice({ billing_scheme: 'tiered', tiers_mode, tiers });
  expect(price).toMatchObject({ unit_amount: null, unit_amount_decimal: null, tiers_mode });
  expect(price).not.toHaveProperty('tiers');
  const expanded = await stripe.prices.retrieve(price.id, { expand: ['tiers'] });
  expect(expanded.tiers).toMatchObject([
    { up_to: 10, unit_amount: 100, flat_amount: null },
    { up_to: null, unit_amount: 50, flat_amount: 300 },
  ]);
  expect((await subscribe(price, {}, 15)).latest_invoice).toMatchObject({ total });
});

test('bills nothing for a metered price without usage, and takes no quantity', async () => {
  await using processor = await startProcessor();
  const { stripe, control, createPrice, subscribe } = await start(processor);
  const meter = await stripe.billing.meters.create({
    display_name: 'Calls',
    event_name: 'call',
    default_aggregation: { formula: 'sum' },
  });
  const recurring = { ...monthly, usage_type: 'metered', meter: meter.id } as const;
  const price = await createPrice({ unit_amount: 5, recurring });
  expect(price.recurring).toMatchObject({ usage_type: 'metered', meter: meter.id });
  const subscription = await subscribe(price);
  expect(subscription).toMatchObject({ status: 'active', latest_invoice: { total: 0, status: 'paid' } });
  expect(subscription.items.data[0]).not.toHaveProperty('quantity');
  await expect(subscribe(price, { items: [{ price: price.id, quantity: 1 }] })).rejects.toMatchObject({
    param: 'items[0][quantity]',
  });
  await control.advanceClock(32 * DAY);
  const renewed = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
  expect(renewed.latest_invoice).toMatchObject({ total: 0, billing_reason: 'subscription_cycle' });
});

test('bills a price in the subscription’s currency', async () => {
  await using processor = await startProcessor();
  const { stripe, control, createPrice, subscribe } = await start(processor);
  const price = await createPrice({ unit_amount: 1_000, currency_options: { eur: { unit_amount: 900 } } });
  expect(price).not.toHaveProperty('currency_options');
  const expanded = await stripe.prices.retrieve(price.id, { expand: ['currency_options'] });
  expect(expanded.currency_options).toMatchObject({ usd: { unit_amount: 1_000 }, eur: { unit_amount: 900 } });

  const subscription = await subscribe(price, { currency: 'eur' }, 2);

  expect(subscription).toMatchObject({ currency: 'eur', latest_invoice: { currency: 'eur', total: 1_800 } });
  expect(subscription.items.data[0]?.price).toMatchObject({ currency: 'usd', unit_amount: 1_000 });
  await stripe.prices.update(price.id, { currency_options: { eur: { unit_amount: 950 }, gbp: { unit_amount: 800 } } });
  await control.advanceClock(32 * DAY);
  const renewed = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
  expect(renewed.latest_invoice).toMatchObject({ total: 1_900 });
  const other = await stripe.customers.create({});
  const jpy = { customer: other.id, currency: 'jpy', trial_period_days: 1 };
  await expect(subscribe(price, jpy)).rejects.toThrow(/only supports `usd`, `eur`, `gbp`/);
});

test('sets the tax behavior of a currency once, and keeps its amount', async () => {
  await using processor = await startProcessor();
  const { stripe, createPrice } = await start(processor);
  const { id } = await createPrice({ unit_amount: 1_000, currency_options: { eur: { unit_amount: 900 } } });
  const set = (tax_behavior: 'exclusive' | 'inclusive') =>
    stripe.prices.update(id, { currency_options: { eur: { tax_behavior } }, expand: ['currency_options'] });
  for (const repeated of ['inclusive', 'inclusive'] as const)
    expect((await set(repeated)).currency_options).toMatchObject({ eur: { unit_amount: 900, tax_behavior: repeated } });
  await expect(set('exclusive')).rejects.toMatchObject({ param: 'currency_options[eur][tax_behavior]' });
});

test('sells a price in another of its currencies at checkout', async () => {
  await using processor = await startProcessor();
  const { stripe, createPrice } = await start(processor);
  const price = await createPrice({ unit_amount: 1_000, currency_options: { eur: { unit_amount: 900 } } });
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    currency: 'eur',
    line_items: [{ price: price.id, quantity: 3 }],
    success_url: 'https://example.com/ok',
  });
  expect(session).toMatchObject({ currency: 'eur', amount_total: 2_700 });
  await press(session, 'pay');
  const { subscription } = await stripe.checkout.sessions.retrieve(session.id);
  expect(await stripe.subscriptions.retrieve(idOf(subscription))).toMatchObject({ currency: 'eur', status: 'active' });
});

test.each<[string, object, string]>([
  ['tiers without a mode', { billing_scheme: 'tiered', tiers: [{ up_to: 'inf', unit_amount: 1 }] }, 'tiers_mode'],
  ['tiers without a last one', { ...tiered([{ up_to: 5, unit_amount: 1 }]) }, 'tiers'],
  [
    'tiers that do not ascend',
    {
      ...tiered([
        { up_to: 5, unit_amount: 1 },
        { up_to: 5, unit_amount: 1 },
      ]),
    },
    'tiers',
  ],
  [
    'tiers and a transformation',
    { ...tiered(), transform_quantity: { divide_by: 2, round: 'up' } },
    'transform_quantity',
  ],
  ['tiers per unit', { unit_amount: 1, tiers: [{ up_to: 'inf', unit_amount: 1 }] }, 'tiers'],
  ['two amounts', { unit_amount: 1, unit_amount_decimal: '1' }, 'unit_amount'],
  ['13 decimal places', { unit_amount_decimal: '0.1234567890123' }, 'unit_amount_decimal'],
  [
    'an unknown meter',
    { unit_amount: 1, recurring: { ...monthly, usage_type: 'metered', meter: 'mtr_0' } },
    'recurring[meter]',
  ],
  [
    'its own currency twice',
    { unit_amount: 1, currency_options: { usd: { unit_amount: 1 } } },
    'currency_options[usd]',
  ],
  [
    'a currency without amount',
    { unit_amount: 1, currency_options: { eur: { tax_behavior: 'inclusive' } } },
    'currency_options[eur][unit_amount]',
  ],
])('rejects a price with %s', async (_, given, param) => {
  await using processor = await startProcessor();
  const { createPrice } = await start(processor);
  await expect(createPrice(given)).rejects.toMatchObject({ statusCode: 400, param });
});

function tiered(tiers: object[] = [{ up_to: 'inf', unit_amount: 1 }]) {
  return { billing_scheme: 'tiered', tiers_mode: 'volume', tiers };
}

test.each([
  ['void' as const, { status: 'void' }],
  ['mark_uncollectible' as const, { status: 'uncollectible' }],
  ['keep_as_draft' as const, { status: 'draft', number: null, auto_advance: false }],
])('collects nothing while collection is paused with %s', async (behavior, invoice) => {
  await using processor = await startProcessor();
  const { stripe, control, createPrice, subscribe } = await start(processor);
  const { id } = await subscribe(await createPrice({ unit_amount: 700 }));
  const paused = await stripe.subscriptions.update(id, { pause_collection: { behavior } });
  expect(paused).toMatchObject({ status: 'active', pause_collection: { behavior, resumes_at: null } });

  await control.advanceClock(32 * DAY);

  const renewed = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
  expect(renewed).toMatchObject({ status: 'active', latest_invoice: { ...invoice, amount_paid: 0 } });
  expect(await stripe.subscriptions.update(id, { pause_collection: '' })).toMatchObject({ pause_collection: null });
  await control.advanceClock(31 * DAY);
  const later = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
  expect(later.latest_invoice).toMatchObject({ status: 'paid', amount_paid: 700 });
});

test('resumes collection at the given time', async () => {
  await using processor = await startProcessor();
  const { stripe, control, createPrice, subscribe } = await start(processor);
  const { id, created } = await subscribe(await createPrice({ unit_amount: 700 }));
  const resumes_at = created + 10 * DAY;
  await stripe.subscriptions.update(id, { pause_collection: { behavior: 'void', resumes_at } });
  await control.advanceClock(32 * DAY);
  const renewed = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
  expect(renewed).toMatchObject({ pause_collection: null, latest_invoice: { status: 'paid' } });
});

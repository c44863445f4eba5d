import { LocalProcessorControl } from '@billing/local-processor/control';
import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { connect, freshKey, startProcessor, type RunningProcessor } from './processor.ts';

const DAY = 86_400;
const WITH_INVOICE = { expand: ['latest_invoice'] };

async function start(processor: RunningProcessor) {
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  const product = await stripe.products.create({ name: 'API' });
  const meter = await stripe.billing.meters.create({
    display_name: 'Calls',
    event_name: 'api_calls',
    default_aggregation: { formula: 'sum' },
  });
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 5,
    recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
  });
  const newCustomer = (params: Stripe.CustomerCreateParams = {}) =>
    stripe.customers.create({
      payment_method: 'pm_card_visa',
      invoice_settings: { default_payment_method: 'pm_card_visa' },
      ...params,
    });
  const use = (
    customer: { id: string },
    value: number | string,
    given: Partial<Stripe.Billing.MeterEventCreateParams> = {},
  ) =>
    stripe.billing.meterEvents.create({
      event_name: 'api_calls',
      payload: { stripe_customer_id: customer.id, value: String(value) },
      ...given,
    });
  const summaries = async (
    customer: { id: string },
    range: Omit<Stripe.Billing.MeterListEventSummariesParams, 'customer'>,
  ) => (await stripe.billing.meters.listEventSummaries(meter.id, { customer: customer.id, ...range })).data;
  return { stripe, control, meter, price, newCustomer, use, summaries };
}

test('bills usage with the invoice after the period, as it was previewed', async () => {
  await using processor = await startProcessor();
  const { stripe, control, price, newCustomer, use } = await start(processor);
  const customer = await newCustomer();
  const subscription = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
  await use(customer, 30);
  await use(customer, 12);
  await use(await newCustomer(), 100);
  const preview = await stripe.invoices.createPreview({ subscription: subscription.id });
  expect(preview.total).toBe(42 * 5);
  await control.advanceClock(32 * DAY);
  const renewed = await stripe.subscriptions.retrieve(subscription.id, WITH_INVOICE);
  expect(renewed.latest_invoice).toMatchObject({
    total: 42 * 5,
    status: 'paid',
    lines: { data: [{ quantity: 42, period: { start: subscription.start_date } }] },
  });
  await control.advanceClock(31 * DAY);
  expect((await stripe.subscriptions.retrieve(subscription.id, WITH_INVOICE)).latest_invoice).toMatchObject({
    total: 0,
  });
});

test('does not bill usage of a trial', async () => {
  await using processor = await startProcessor();
  const { stripe, control, price, newCustomer, use } = await start(processor);
  const customer = await newCustomer();
  const params = { customer: customer.id, items: [{ price: price.id }], trial_period_days: 7 };
  const { id } = await stripe.subscriptions.create(params);
  await use(customer, 30);
  await control.advanceClock(8 * DAY);
  expect(await stripe.subscriptions.retrieve(id, WITH_INVOICE)).toMatchObject({
    status: 'active',
    latest_invoice: { total: 0 },
  });
});

test('takes an identifier once in 24 hours', async () => {
  await using processor = await startProcessor();
  const { control, newCustomer, use, summaries } = await start(processor);
  const customer = await newCustomer();
  const start_time = Math.floor(Date.now() / 60_000) * 60;
  await use(customer, 1, { identifier: 'one' });
  await expect(use(customer, 1, { identifier: 'one' })).rejects.toMatchObject({
    statusCode: 400,
    message: 'An event already exists with identifier one.',
  });
  await control.advanceClock(DAY + 1);
  await use(customer, 1, { identifier: 'one' });
  const [summary] = await summaries(customer, { start_time, end_time: start_time + 2 * DAY });
  expect(summary).toMatchObject({ aggregated_value: 2, start_time });
});

test('refuses an unknown meter, a wrong value and times that are too far away', async () => {
  await using processor = await startProcessor();
  const { stripe, meter, newCustomer, use } = await start(processor);
  const customer = await newCustomer();
  const now = Math.floor(Date.now() / 1_000);
  await expect(use(customer, 1, { event_name: 'other' })).rejects.toMatchObject({ param: 'event_name' });
  await expect(use(customer, '1.5')).rejects.toMatchObject({ param: 'payload[value]' });
  await expect(use(customer, '1234567890123456')).rejects.toMatchObject({ param: 'payload[value]' });
  await expect(use(customer, 1, { timestamp: now - 35 * DAY - 5 })).rejects.toMatchObject({ param: 'timestamp' });
  await expect(use(customer, 1, { timestamp: now + 400 })).rejects.toMatchObject({ param: 'timestamp' });
  await stripe.billing.meters.deactivate(meter.id);
  await expect(use(customer, 1)).rejects.toMatchObject({ param: 'event_name' });
});

test('sums usage up by hour and by UTC day', async () => {
  await using processor = await startProcessor();
  const { newCustomer, use, summaries } = await start(processor);
  const customer = await newCustomer();
  const day = Math.floor(Date.now() / 86_400_000) * DAY - 2 * DAY;
  for (const [at, value] of [
    [day, 1],
    [day + 3_599, 2],
    [day + 3_600, 4],
    [day + DAY, 8],
  ] as const)
    await use(customer, value, { timestamp: at });
  const range = { start_time: day, end_time: day + 2 * DAY };
  const values = async (window?: 'day' | 'hour') =>
    (await summaries(customer, { ...range, ...(window && { value_grouping_window: window }) })).map(
      it => [it.start_time - day, it.aggregated_value] as const,
    );
  expect(await values()).toEqual([[0, 15]]);
  expect(await values('day')).toEqual([
    [DAY, 8],
    [0, 7],
  ]);
  expect(await values('hour')).toEqual([
    [DAY, 8],
    [3_600, 4],
    [0, 3],
  ]);
  const misaligned = { start_time: day + 60, end_time: day + DAY, value_grouping_window: 'hour' } as const;
  await expect(summaries(customer, misaligned)).rejects.toMatchObject({ param: 'start_time' });
});

test('goes by the time of a test clock', async () => {
  await using processor = await startProcessor();
  const { stripe, newCustomer, use } = await start(processor);
  const frozen_time = Math.floor(Date.now() / 1_000) - 100 * DAY;
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time });
  const customer = await newCustomer({ test_clock: clock.id });
  expect(await use(customer, 1)).toMatchObject({ timestamp: frozen_time });
  await expect(use(customer, 1, { timestamp: frozen_time + 301 })).rejects.toMatchObject({ param: 'timestamp' });
});

test('refuses usage later, with a thin event about its meter', async () => {
  await using processor = await startProcessor();
  const { stripe, control, meter, newCustomer, use, summaries } = await start(processor);
  const customer = await newCustomer();
  await use(customer, 1, { identifier: 'bad' });
  await control.refuseMeterEvent('bad');
  await use({ id: 'cus_gone' }, 1, { identifier: 'gone' });
  const types = ['v1.billing.meter.error_report_triggered'];
  const listed = await stripe.v2.core.events.list({ types, limit: 1 }).autoPagingToArray({ limit: 10 });
  const identifiers = await Promise.all(
    listed.map(async ({ id }) => {
      const { data, related_object } = (await stripe.v2.core.events.retrieve(
        id,
      )) as Stripe.V2.Core.Events.V1BillingMeterErrorReportTriggeredEvent; // the only type listed
      expect(related_object.id).toBe(meter.id);
      return data.reason.error_types[0]?.sample_errors[0]?.request.identifier;
    }),
  );
  expect(identifiers).toEqual(['gone', 'bad']);
  const start_time = Math.floor(Date.now() / 60_000) * 60 - 60;
  const [summary] = await summaries(customer, { start_time, end_time: start_time + 240 });
  expect(summary).toMatchObject({ aggregated_value: 0 });
});

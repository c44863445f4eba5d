import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';
import { createCustomerAndPrice } from './checkout-fixtures.ts';

const DAY = 86_400;

async function schedule(processor: { url: string }) {
  const key = freshKey();
  const stripe = connect(processor, key);
  const { customer, price } = await createCustomerAndPrice(stripe);
  const method = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
  const { id } = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    default_payment_method: method.id,
  });
  const created = await stripe.subscriptionSchedules.create({ from_subscription: id });
  const eventTypes = async () => (await stripe.events.list({ limit: 3 })).data.map(({ type }) => type).toReversed();
  return { stripe, control: new LocalProcessorControl(processor.url, key), id, schedule: created, price, eventTypes };
}

test('a schedule manages the cancellation of its subscription until it is released', async () => {
  await using processor = await startProcessor();
  const { stripe, id, price, schedule: created, eventTypes } = await schedule(processor);
  const subscription = await stripe.subscriptions.retrieve(id, { expand: ['schedule'] });
  expect(subscription.schedule).toMatchObject({ id: created.id, status: 'active', end_behavior: 'release' });
  const end_date = subscription.items.data[0]?.current_period_end;
  expect(created).toMatchObject({
    subscription: id,
    current_phase: { end_date },
    phases: [{ end_date, items: [{ price: price.id, quantity: 1 }] }],
  });
  expect((await eventTypes()).slice(1)).toEqual(['subscription_schedule.created', 'customer.subscription.updated']);
  const message = `The subscription is managed by the subscription schedule \`${created.id}\``;
  for (const change of [{ cancel_at_period_end: true }, { cancel_at_period_end: false }, { cancel_at: '' as const }])
    await expect(stripe.subscriptions.update(id, change)).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining(message),
    });
  expect(await stripe.subscriptions.update(id, { metadata: { a: '1' } })).toMatchObject({ metadata: { a: '1' } });

  const released = await stripe.subscriptionSchedules.release(created.id);

  expect(released).toMatchObject({ status: 'released', subscription: null, released_subscription: id });
  expect((await eventTypes()).slice(1)).toEqual(['subscription_schedule.released', 'customer.subscription.updated']);
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ schedule: null, status: 'active' });
  await stripe.subscriptions.update(id, { cancel_at_period_end: true });
  await expect(stripe.subscriptionSchedules.release(created.id)).rejects.toMatchObject({ statusCode: 400 });
});

test('canceling a schedule or its subscription ends both', async () => {
  await using processor = await startProcessor();
  const first = await schedule(processor);
  expect(await first.stripe.subscriptionSchedules.cancel(first.schedule.id)).toMatchObject({ status: 'canceled' });
  expect(await first.stripe.subscriptions.retrieve(first.id)).toMatchObject({ status: 'canceled' });
  const second = await schedule(processor);
  await second.stripe.subscriptions.cancel(second.id);
  expect(await second.stripe.subscriptionSchedules.retrieve(second.schedule.id)).toMatchObject({ status: 'canceled' });
  expect(await second.eventTypes()).toContain('subscription_schedule.canceled');
});

test('a schedule that ends with its phase releases or cancels the subscription', async () => {
  await using processor = await startProcessor();
  const goesOn = await schedule(processor);
  await goesOn.control.advanceClock(32 * DAY);
  expect(await goesOn.stripe.subscriptions.retrieve(goesOn.id)).toMatchObject({ schedule: null, status: 'active' });
  expect(await goesOn.stripe.subscriptionSchedules.retrieve(goesOn.schedule.id)).toMatchObject({ status: 'released' });

  const ends = await schedule(processor);
  await ends.stripe.subscriptionSchedules.update(ends.schedule.id, { end_behavior: 'cancel' });
  const cancel_at = ends.schedule.current_phase?.end_date;
  expect(await ends.stripe.subscriptions.retrieve(ends.id)).toMatchObject({ cancel_at, cancel_at_period_end: false });
  await ends.control.advanceClock(32 * DAY);
  expect(await ends.stripe.subscriptions.retrieve(ends.id)).toMatchObject({ status: 'canceled', ended_at: cancel_at });
  expect(await ends.stripe.subscriptionSchedules.retrieve(ends.schedule.id)).toMatchObject({ status: 'completed' });
});

test('rejects a second schedule, an unknown subscription and an ended one', async () => {
  await using processor = await startProcessor();
  const { stripe, id } = await schedule(processor);
  const create = (from_subscription: string) => stripe.subscriptionSchedules.create({ from_subscription });
  await expect(create(id)).rejects.toThrow(/already attached to a schedule/);
  await expect(create('sub_none')).rejects.toMatchObject({ param: 'from_subscription', code: 'resource_missing' });
  await stripe.subscriptions.cancel(id);
  await expect(create(id)).rejects.toMatchObject({ statusCode: 400 });
  expect((await stripe.subscriptionSchedules.list()).data).toHaveLength(1);
});

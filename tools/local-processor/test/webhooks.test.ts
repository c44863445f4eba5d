import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';
import { startReceiver, until } from './receiver.ts';
import { openCheckout, press } from './shop.ts';

test('a webhook is tried again until it is accepted, signed anew each time', async () => {
  await using processor = await startProcessor();
  await using receiver = await startReceiver();
  const stripe = connect(processor);
  const endpoint = await stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: ['customer.created'] });
  receiver.answers.push(500, 301, 200);

  await stripe.customers.create({});

  await until(() => receiver.received.length === 3, 'three tries');
  for (const { body, signature } of receiver.received)
    expect(() => stripe.webhooks.constructEvent(body, signature, endpoint.secret ?? '')).not.toThrow();
  expect(receiver.received[0]?.signature).not.toBe(receiver.received[2]?.signature);
  await until(async () => (await stripe.events.list({ delivery_success: true })).data.length === 1, 'delivery');
});

test('an endpoint gets only the types it asked for, and none while it is disabled', async () => {
  await using processor = await startProcessor();
  await using receiver = await startReceiver();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  const { id } = await stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: ['product.created'] });
  await stripe.customers.create({});
  await stripe.products.create({ name: 'A' });
  await stripe.webhookEndpoints.update(id, { disabled: true });
  await stripe.products.create({ name: 'B' });
  await stripe.webhookEndpoints.update(id, { disabled: false, enabled_events: ['*'] });
  await stripe.customers.create({});
  await control.deliveriesSettled();
  expect(receiver.types()).toEqual(['product.created', 'customer.created']);
});

test('the secret of an endpoint is shown once', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const made = await stripe.webhookEndpoints.create({ url: 'https://example.com/hook', enabled_events: ['*'] });
  expect(made.secret).toMatch(/^whsec_/);
  expect(await stripe.webhookEndpoints.retrieve(made.id)).not.toHaveProperty('secret');
  expect((await stripe.webhookEndpoints.list()).data[0]).not.toHaveProperty('secret');
  expect(await stripe.webhookEndpoints.del(made.id)).toMatchObject({ deleted: true });
  await expect(stripe.webhookEndpoints.retrieve(made.id)).rejects.toMatchObject({ statusCode: 404 });
});

test('events tell of the request that caused them and are found by time, type and delivery', async () => {
  await using processor = await startProcessor();
  await using receiver = await startReceiver();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  await stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: ['customer.created'] });
  await control.setDeliveryRules({ dropNext: 1 });
  const customer = await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'k1' });
  await stripe.products.create({ name: 'A' });

  const [event] = (await stripe.events.list({ type: 'customer.created', created: { gte: customer.created } })).data;

  expect(event).toMatchObject({
    object: 'event',
    livemode: false,
    pending_webhooks: 1,
    request: { id: customer.lastResponse.requestId, idempotency_key: 'k1' },
    data: { object: { id: customer.id, name: 'Ada' } },
  });
  expect(await stripe.events.retrieve(event?.id ?? '')).toMatchObject({ id: event?.id });
  expect((await stripe.events.list({ delivery_success: false })).data.map(({ id }) => id)).toEqual([event?.id]);
  expect((await stripe.events.list({ created: { gt: customer.created + 60 } })).data).toEqual([]);
  expect(receiver.received).toEqual([]);
});

test('a page of undelivered events goes on after one that has been delivered since', async () => {
  await using processor = await startProcessor();
  await using receiver = await startReceiver();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  await stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: ['*'] });
  await control.setDeliveryRules({ hold: true });
  for (const name of ['A', 'B', 'C']) await stripe.products.create({ name });
  const missed = { delivery_success: false, limit: 2 };
  const page = await stripe.events.list(missed);
  const last = page.data.at(-1)?.id ?? '';
  expect(page).toMatchObject({ has_more: true, data: [{}, { id: last }] });

  await control.resend(last);
  await control.deliveriesSettled();

  const rest = await stripe.events.list({ ...missed, starting_after: last });
  expect(rest).toMatchObject({ has_more: false, data: [{ data: { object: { name: 'A' } } }] });
  expect((await stripe.events.list(missed)).data).toHaveLength(2);
});

test('an event keeps what was true when it happened', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { id } = await stripe.customers.create({ name: 'Before' });
  await stripe.customers.update(id, { name: 'After' });
  const [event] = (await stripe.events.list({ type: 'customer.created' })).data;
  expect(event?.data.object).toMatchObject({ name: 'Before' });
});

test('an endpoint pinned to an older version of the API gets its shapes', async () => {
  await using processor = await startProcessor();
  await using receiver = await startReceiver();
  const key = freshKey();
  const stripe = connect(processor, key);
  await stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: ['*'], api_version: '2024-06-20' });
  const { session } = await openCheckout(stripe, { subscription_data: { metadata: { projectId: 'proj_1' } } });
  await press(session, 'pay');
  await until(() => receiver.types().includes('checkout.session.completed'), 'the checkout');
  await new LocalProcessorControl(processor.url, key).deliveriesSettled();

  const told = (type: string) => receiver.received.find(({ event }) => event.type === type)?.event;

  expect(told('customer.subscription.created')).toMatchObject({
    api_version: '2024-06-20',
    data: { object: { current_period_end: expect.any(Number) } },
  });
  expect(told('customer.subscription.created')).not.toHaveProperty('data.object.items.data.0.current_period_end');
  const invoice = told('invoice.paid')?.data.object;
  expect(invoice).toMatchObject({
    subscription: expect.stringMatching(/^sub_/),
    subscription_details: { metadata: { projectId: 'proj_1' } },
    paid: true,
    charge: expect.stringMatching(/^ch_/),
  });
  expect(invoice).not.toHaveProperty('parent');
  expect(told('charge.succeeded')).toMatchObject({ data: { object: { invoice: expect.stringMatching(/^in_/) } } });
});

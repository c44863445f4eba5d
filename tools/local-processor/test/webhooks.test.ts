import { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';
import { startReceiver, waitUntil } from './receiver.ts';

test('retries a webhook with a new signature until it is accepted', async () => {
  await using processor = await startProcessor();
  await using receiver = await startReceiver();
  const stripe = connect(processor);
  const endpoint = await stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: ['customer.created'] });
  receiver.statuses.push(500, 301, 200);

  await stripe.customers.create({});

  await waitUntil(() => receiver.received.length === 3, 'three attempts');
  for (const { body, signature } of receiver.received)
    expect(() => stripe.webhooks.constructEvent(body, signature, endpoint.secret ?? '')).not.toThrow();
  expect(receiver.received[0]?.signature).not.toBe(receiver.received[2]?.signature);
  await waitUntil(async () => (await stripe.events.list({ delivery_success: true })).data.length === 1, 'delivery');
});

test('delivers only subscribed types, and nothing to a disabled endpoint', async () => {
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
  await control.waitForDeliveries();
  expect(receiver.types()).toEqual(['product.created', 'customer.created']);
});

test('sends webhooks for localhost to the host that stands for it', async () => {
  await using receiver = await startReceiver();
  await using processor = await startProcessor({ localhost: new URL(receiver.url).host });
  const stripe = connect(processor);
  await stripe.webhookEndpoints.create({ url: 'http://localhost:9/hooks', enabled_events: ['customer.created'] });
  await stripe.customers.create({});
  await waitUntil(() => receiver.received.length > 0, 'the webhook');
  expect(receiver.types()).toEqual(['customer.created']);
});

test('returns the secret of an endpoint only once', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const created = await stripe.webhookEndpoints.create({ url: 'https://example.com/hook', enabled_events: ['*'] });
  expect(created.secret).toMatch(/^whsec_/);
  expect(await stripe.webhookEndpoints.retrieve(created.id)).not.toHaveProperty('secret');
  expect((await stripe.webhookEndpoints.list()).data[0]).not.toHaveProperty('secret');
  expect(await stripe.webhookEndpoints.del(created.id)).toMatchObject({ deleted: true });
  await expect(stripe.webhookEndpoints.retrieve(created.id)).rejects.toMatchObject({ statusCode: 404 });
});

test('creates, changes and lists endpoints', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const url = 'https://example.com/hook';
  const versioned = { url, enabled_events: ['customer.created'], api_version: '2025-03-31.basil' } as const;
  const first = await stripe.webhookEndpoints.create({ ...versioned, enabled_events: [...versioned.enabled_events] });
  expect(first).toMatchObject({ status: 'enabled', api_version: '2025-03-31.basil', livemode: false });
  const second = await stripe.webhookEndpoints.create({ url, enabled_events: ['*'] });
  const changes = { url: `${url}/2`, enabled_events: ['invoice.paid' as const], description: 'Ours', disabled: true };
  expect(await stripe.webhookEndpoints.update(first.id, changes)).toMatchObject({
    url: `${url}/2`,
    enabled_events: ['invoice.paid'],
    description: 'Ours',
    status: 'disabled',
    api_version: '2025-03-31.basil',
  });
  expect((await stripe.webhookEndpoints.list()).data.map(({ id }) => id)).toEqual([second.id, first.id]);
  await expect(stripe.webhookEndpoints.update('we_none', changes)).rejects.toMatchObject({ statusCode: 404 });
});

test('finds events by time, type and delivery, with their request', async () => {
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

test('continues a list of undelivered events after a delivered one', async () => {
  await using processor = await startProcessor();
  await using receiver = await startReceiver();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  await stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: ['*'] });
  await control.setDeliveryRules({ hold: true });
  for (const name of ['A', 'B', 'C']) await stripe.products.create({ name });
  const undelivered = { delivery_success: false, limit: 2 };
  const page = await stripe.events.list(undelivered);
  const last = page.data.at(-1)?.id ?? '';
  expect(page).toMatchObject({ has_more: true, data: [{}, { id: last }] });

  await control.resend(last);
  await control.waitForDeliveries();

  const rest = await stripe.events.list({ ...undelivered, starting_after: last });
  expect(rest).toMatchObject({ has_more: false, data: [{ data: { object: { name: 'A' } } }] });
  expect((await stripe.events.list(undelivered)).data).toHaveLength(2);
});

test('keeps the state of the object at the time of the event', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { id } = await stripe.customers.create({ name: 'Before' });
  await stripe.customers.update(id, { name: 'After' });
  const [event] = (await stripe.events.list({ type: 'customer.created' })).data;
  expect(event?.data.object).toMatchObject({ name: 'Before' });
});

test('sends an endpoint with an older API version the shapes of the version that the library pins', async () => {
  await using processor = await startProcessor();
  await using receiver = await startReceiver();
  const key = freshKey();
  const stripe = connect(processor, key);
  await stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: ['*'], api_version: '2024-06-20' });
  await stripe.customers.create({ name: 'Ada' });
  await new LocalProcessorControl(processor.url, key).waitForDeliveries();
  expect(receiver.received.map(({ event }) => event)).toMatchObject([{ api_version: Stripe.API_VERSION }]);
});

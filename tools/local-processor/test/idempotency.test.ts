import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';
import { waitUntil } from './receiver.ts';

test('replays the response of a repeated key and creates nothing', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const first = await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'k1' });
  const again = await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'k1' });
  expect(again.id).toBe(first.id);
  expect(first.lastResponse.headers).not.toHaveProperty('idempotent-replayed');
  expect(again.lastResponse.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  expect((await stripe.customers.list()).data).toHaveLength(1);
});

test('rejects the same parameters in another order', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const first = await stripe.customers.create({ name: 'Ada', metadata: { a: '1', b: '2' } }, { idempotencyKey: 'k1' });
  const same = await stripe.customers.create({ name: 'Ada', metadata: { a: '1', b: '2' } }, { idempotencyKey: 'k1' });
  expect(same.id).toBe(first.id);
  const error = { type: 'StripeIdempotencyError', statusCode: 400 };
  const swapped = { metadata: { a: '1', b: '2' }, name: 'Ada' };
  await expect(stripe.customers.create(swapped, { idempotencyKey: 'k1' })).rejects.toMatchObject(error);
  const inside = { name: 'Ada', metadata: { b: '2', a: '1' } };
  await expect(stripe.customers.create(inside, { idempotencyKey: 'k1' })).rejects.toMatchObject(error);
});

test('rejects a key that was used for another request', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'k1' });
  const error = { type: 'StripeIdempotencyError', statusCode: 400 };
  await expect(stripe.customers.create({ name: 'Bob' }, { idempotencyKey: 'k1' })).rejects.toMatchObject(error);
  await expect(stripe.products.create({ name: 'Ada' }, { idempotencyKey: 'k1' })).rejects.toMatchObject(error);
  await expect(connect(processor).customers.create({ name: 'Bob' }, { idempotencyKey: 'k1' })).resolves.toMatchObject({
    object: 'customer',
  });
});

test('returns 409 while the first request with the key runs', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  await control.fail({ path: '/v1/customers', mode: 'slow', delayMs: 1_000 });
  const slow = stripe.customers.create({}, { idempotencyKey: 'k1' });
  await waitUntil(async () => (await control.faults()).length === 0, 'the first request to start');
  const second = stripe.customers.create({}, { idempotencyKey: 'k1' });
  await expect(second).rejects.toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
  await expect(slow).resolves.toMatchObject({ object: 'customer' });
});

test('replays a 500 but not a rejected parameter', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  await control.fail({ path: '/v1/customers', mode: '500' });
  for (const _ of [1, 2])
    await expect(stripe.customers.create({}, { idempotencyKey: 'k1' })).rejects.toMatchObject({ statusCode: 500 });
  await control.fail({ path: '/v1/customers', mode: '500', kept: false });
  await expect(stripe.customers.create({}, { idempotencyKey: 'k2' })).rejects.toMatchObject({ statusCode: 500 });
  await expect(stripe.customers.create({}, { idempotencyKey: 'k2' })).resolves.toMatchObject({ object: 'customer' });

  await expect(stripe.products.create({ name: '' }, { idempotencyKey: 'k3' })).rejects.toMatchObject({
    statusCode: 400,
  });
  await expect(stripe.products.create({ name: 'Pro' }, { idempotencyKey: 'k3' })).resolves.toMatchObject({
    object: 'product',
  });
});

test('returns a lost response again with the same key', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  await control.fail({ path: '/v1/customers', mode: 'done-but-response-lost', times: 2 });
  // The library retries once after a closed connection, regardless of its settings.
  await expect(
    stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'k1', maxNetworkRetries: 0 }),
  ).rejects.toMatchObject({ type: 'StripeConnectionError' });
  await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'k1', maxNetworkRetries: 2 });
  expect((await stripe.customers.list()).data).toHaveLength(1);
  const { objects, calls } = await control.ledger();
  expect(objects.filter(({ object }) => object === 'customer')).toMatchObject([{ idempotencyKey: 'k1' }]);
  expect(calls['POST /v1/customers']).toMatchObject({ '200': 1 });
});

test('can return an error although the request was executed', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  const create = (idempotencyKey: string) => stripe.customers.create({ name: idempotencyKey }, { idempotencyKey });
  await control.fail({ path: '/v1/customers', mode: '500-but-done' });
  await expect(create('saved')).rejects.toMatchObject({ statusCode: 500 });
  await expect(create('saved')).rejects.toMatchObject({ headers: { 'idempotent-replayed': 'true' } });
  await control.fail({ path: '/v1/customers', mode: '500-but-done', kept: false });
  await expect(create('not saved')).rejects.toMatchObject({ statusCode: 500 });
  await expect(create('not saved')).resolves.toMatchObject({ name: 'not saved' });
  expect((await stripe.customers.list()).data.map(({ name }) => name)).toEqual(['not saved', 'saved']);
});

test('forgets a key after a day of the account’s clock', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  const create = () => stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'k1' });
  const { id } = await create();
  await control.advanceClock(23 * 3_600);
  expect((await create()).id).toBe(id);
  await control.advanceClock(2 * 3_600);
  expect((await create()).id).not.toBe(id);
});

import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';

test('a repeated key answers what was answered before and makes nothing new', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const first = await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'k1' });
  const again = await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'k1' });
  expect(again.id).toBe(first.id);
  expect(first.lastResponse.headers).not.toHaveProperty('idempotent-replayed');
  expect(again.lastResponse.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  expect((await stripe.customers.list()).data).toHaveLength(1);
});

test('the order of parameters makes no difference to a key', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const first = await stripe.customers.create({ name: 'Ada', metadata: { a: '1', b: '2' } }, { idempotencyKey: 'k1' });
  const again = await stripe.customers.create({ metadata: { b: '2', a: '1' }, name: 'Ada' }, { idempotencyKey: 'k1' });
  expect(again.id).toBe(first.id);
});

test('a key used for something else is refused', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'k1' });
  const refused = { type: 'StripeIdempotencyError', statusCode: 400 };
  await expect(stripe.customers.create({ name: 'Bob' }, { idempotencyKey: 'k1' })).rejects.toMatchObject(refused);
  await expect(stripe.products.create({ name: 'Ada' }, { idempotencyKey: 'k1' })).rejects.toMatchObject(refused);
  await expect(connect(processor).customers.create({ name: 'Bob' }, { idempotencyKey: 'k1' })).resolves.toBeDefined();
});

test('a key whose request still runs is 409', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  await control.fail({ path: '/v1/customers', mode: 'slow', delayMs: 300 });
  const slow = stripe.customers.create({}, { idempotencyKey: 'k1' });
  const second = new Promise(resolve => setTimeout(resolve, 100)).then(() =>
    stripe.customers.create({}, { idempotencyKey: 'k1' }),
  );
  await expect(second).rejects.toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
  await expect(slow).resolves.toBeDefined();
});

test('a 500 is replayed, a refused parameter is not', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  await control.fail({ path: '/v1/customers', mode: '500' });
  for (const _ of [1, 2])
    await expect(stripe.customers.create({}, { idempotencyKey: 'k1' })).rejects.toMatchObject({ statusCode: 500 });
  await control.fail({ path: '/v1/customers', mode: '500', kept: false });
  await expect(stripe.customers.create({}, { idempotencyKey: 'k2' })).rejects.toMatchObject({ statusCode: 500 });
  await expect(stripe.customers.create({}, { idempotencyKey: 'k2' })).resolves.toBeDefined();

  await expect(stripe.products.create({ name: '' }, { idempotencyKey: 'k3' })).rejects.toMatchObject({
    statusCode: 400,
  });
  await expect(stripe.products.create({ name: 'Pro' }, { idempotencyKey: 'k3' })).resolves.toBeDefined();
});

test('an answer that got lost is given again under the same key', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  await control.fail({ path: '/v1/customers', mode: 'done-but-answer-lost', times: 2 });
  // The library tries once more after a cut connection, whatever its settings.
  await expect(
    stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'k1', maxNetworkRetries: 0 }),
  ).rejects.toMatchObject({ type: 'StripeConnectionError' });
  await stripe.customers.create({ name: 'Ada' }, { idempotencyKey: 'k1', maxNetworkRetries: 2 });
  expect((await stripe.customers.list()).data).toHaveLength(1);
  const { objects, calls } = await control.ledger();
  expect(objects.filter(({ object }) => object === 'customer')).toMatchObject([{ idempotencyKey: 'k1' }]);
  expect(calls['POST /v1/customers']).toMatchObject({ '200': 1 });
});

test('a failure may hide that the work was done', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  const create = (idempotencyKey: string) => stripe.customers.create({ name: idempotencyKey }, { idempotencyKey });
  await control.fail({ path: '/v1/customers', mode: '500-but-done' });
  await expect(create('kept')).rejects.toMatchObject({ statusCode: 500 });
  await expect(create('kept')).rejects.toMatchObject({ headers: { 'idempotent-replayed': 'true' } });
  await control.fail({ path: '/v1/customers', mode: '500-but-done', kept: false });
  await expect(create('told')).rejects.toMatchObject({ statusCode: 500 });
  await expect(create('told')).resolves.toMatchObject({ name: 'told' });
  expect((await stripe.customers.list()).data.map(({ name }) => name)).toEqual(['told', 'kept']);
});

test('a key is forgotten after a day of the account’s clock', async () => {
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

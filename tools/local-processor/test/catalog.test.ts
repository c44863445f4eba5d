import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { openCheckout } from './checkout-fixtures.ts';
import { connect, freshKey, startProcessor } from './processor.ts';

test('creates, updates and lists products and prices, and emits their events', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const product = await stripe.products.create({
    name: 'Pro',
    description: 'All of it',
    unit_label: 'seat',
    metadata: { a: '1' },
  });
  expect(product).toMatchObject({ description: 'All of it', unit_label: 'seat' });
  await expect(stripe.products.create({ name: 'Pro', unit_label: 'a'.repeat(13) })).rejects.toThrow(
    /unit_label|characters/,
  );
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'EUR',
    unit_amount: 1000,
    recurring: { interval: 'month', interval_count: 3 },
  });
  expect(price).toMatchObject({ currency: 'eur', type: 'recurring', recurring: { interval_count: 3 } });
  expect(price.unit_amount_decimal?.toString()).toBe('1000');

  await stripe.products.update(product.id, { active: false, description: '', unit_label: '', default_price: price.id });
  await stripe.prices.update(price.id, { nickname: 'Quarterly' });

  expect(await stripe.products.retrieve(product.id, { expand: ['default_price'] })).toMatchObject({
    active: false,
    description: null,
    unit_label: null,
    default_price: { id: price.id, nickname: 'Quarterly' },
  });
  expect((await stripe.products.list({ active: true })).data).toEqual([]);
  expect((await stripe.prices.list({ product: product.id, active: true })).data).toHaveLength(1);
  const types = (await stripe.events.list()).data.map(({ type }) => type);
  expect(types).toEqual(['price.updated', 'product.updated', 'price.created', 'product.created']);
});

test('rejects archiving the default price of a product', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const product = await stripe.products.create({ name: 'Pro' });
  const price = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 5 });
  await stripe.products.update(product.id, { default_price: price.id });
  await expect(stripe.prices.update(price.id, { active: false })).rejects.toThrow(/default price/);
  await expect(stripe.products.del(product.id)).rejects.toThrow(/user-created prices/);
});

test('deletes a product once it has no prices, and a price only through the control API', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const control = new LocalProcessorControl(processor.url, key);
  const product = await stripe.products.create({ name: 'Pro' });
  const price = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 5 });
  await stripe.products.update(product.id, { default_price: price.id });
  await expect(stripe.products.del(product.id)).rejects.toMatchObject({ statusCode: 400 });

  await control.deletePrice(price.id);

  await expect(stripe.prices.retrieve(price.id)).rejects.toMatchObject({ statusCode: 404, code: 'resource_missing' });
  expect(await stripe.products.retrieve(product.id)).toMatchObject({ default_price: null });
  expect(await stripe.products.del(product.id)).toMatchObject({ id: product.id, deleted: true });
  await expect(stripe.products.retrieve(product.id)).rejects.toMatchObject({ statusCode: 404 });
  expect((await stripe.products.list()).data).toEqual([]);
  const events = (await stripe.events.list({ types: ['price.deleted', 'product.deleted'] })).data;
  expect(events.map(({ type, data }) => [type, data.object])).toMatchObject([
    ['product.deleted', { id: product.id, name: 'Pro' }],
    ['price.deleted', { id: price.id, unit_amount: 5 }],
  ]);
});

test('keeps a price that a checkout sells', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const stripe = connect(processor, key);
  const { price } = await openCheckout(stripe);
  const deletion = new LocalProcessorControl(processor.url, key).deletePrice(price.id);
  await expect(deletion).rejects.toThrow(/has been used/);
});

test.each([
  [{ currency: 'usd', unit_amount: 1 }, 'parameter_missing', 'product'],
  [{ product: 'prod_none', currency: 'usd', unit_amount: 1 }, 'resource_missing', 'product'],
  [{ product: 'PRODUCT', currency: 'usd' }, 'parameter_missing', 'unit_amount'],
  [{ product: 'PRODUCT', currency: 'usd', unit_amount: 1.5 }, 'parameter_invalid_integer', 'unit_amount'],
  [{ product: 'PRODUCT', currency: 'usd', unit_amount: -1 }, 'parameter_invalid_integer', 'unit_amount'],
  [{ product: 'PRODUCT', currency: 'zzz', unit_amount: 1 }, undefined, 'currency'],
  [{ product: 'PRODUCT', currency: 'usd', unit_amount: 1, colour: 'red' }, 'parameter_unknown', 'colour'],
  [
    { product: 'PRODUCT', currency: 'usd', unit_amount: 1, recurring: { interval_count: 1 } },
    'parameter_missing',
    'recurring[interval]',
  ],
  [
    { product: 'PRODUCT', currency: 'usd', unit_amount: 1, recurring: { interval: 'month', interval_count: 37 } },
    undefined,
    'recurring[interval_count]',
  ],
])('rejects the price %j', async (given, code, param) => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { id: product } = await stripe.products.create({ name: 'Pro' });
  const wanted = { ...given, ...('product' in given && given.product === 'PRODUCT' ? { product } : {}) };
  // The cast allows invalid values, which this test sends on purpose.
  const attempt = stripe.prices.create(wanted as Stripe.PriceCreateParams);
  await expect(attempt).rejects.toMatchObject({ type: 'StripeInvalidRequestError', statusCode: 400, param });
  await expect(attempt).rejects.toHaveProperty('code', code);
});

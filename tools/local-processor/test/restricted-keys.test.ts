import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';

const restrictedKey = () => freshKey().replace('sk_', 'rk_');

test('a restricted key may do what it has the permission for, in the account of its maker', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const restricted = restrictedKey();
  const stripe = connect(processor, key);
  const limited = connect(processor, restricted);
  const control = new LocalProcessorControl(processor.url, key);
  await control.restrictKey(restricted, ['rak_webhook_write', 'rak_customer_read']);
  const { id } = await stripe.accounts.retrieveCurrent();

  const refused = limited.webhookEndpoints.create({ url: 'https://example.com', enabled_events: ['*'] });

  await expect(refused).rejects.toMatchObject({
    type: 'StripePermissionError',
    statusCode: 403,
    rawType: 'invalid_request_error',
    message: expect.stringMatching(
      new RegExp(
        `The provided key 'rk_test_.*' does not have the required permissions .* '${id}'.*'rak_webhook_write'`,
      ),
    ),
  });
  expect((await limited.webhookEndpoints.list()).data).toEqual([]);
  await expect(limited.customers.list()).rejects.toMatchObject({ statusCode: 403 });
  await expect(limited.customers.create({})).rejects.toMatchObject({ statusCode: 403 });
  const product = await limited.products.create({ name: 'Pro' });
  expect(await stripe.products.retrieve(product.id)).toMatchObject({ name: 'Pro' });

  await control.restrictKey(restricted, []);
  expect(await limited.customers.create({})).toMatchObject({ object: 'customer' });
});

test('a restricted key keeps its account and permissions until a reset', async () => {
  await using processor = await startProcessor();
  const [key, restricted] = [freshKey(), restrictedKey()];
  const control = new LocalProcessorControl(processor.url, key);
  await control.restrictKey(restricted, ['rak_product_write']);
  const product = { name: 'Pro' };
  await expect(connect(processor, restricted).products.create(product)).rejects.toMatchObject({ statusCode: 403 });
  await control.reset();
  expect(await connect(processor, restricted).products.create(product)).toMatchObject(product);
  expect((await connect(processor, key).products.list()).data).toEqual([]);
});

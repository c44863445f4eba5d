import { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { connect, freshKey, startProcessor } from './processor.ts';

test.each([
  ['no key', {}],
  ['a malformed key', { authorization: 'Bearer nonsense' }],
  ['an invalid key', { authorization: 'Bearer sk_test_invalid12345678' }],
  ['a publishable key', { authorization: 'Bearer pk_test_1234567890' }],
])('returns 401 for %s', async (_, headers: Record<string, string>) => {
  await using processor = await startProcessor();
  const response = await fetch(`${processor.url}/v1/account`, { headers });
  expect(response.status).toBe(401);
  expect(response.headers.get('request-id')).toMatch(/^req_/);
  expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
});

test('gives each key its own account', async () => {
  await using processor = await startProcessor();
  const key = freshKey();
  const mine = connect(processor, key);
  const other = connect(processor);
  const { id } = await mine.customers.create({});
  expect((await mine.accounts.retrieveCurrent()).id).toBe(
    (await connect(processor, key).accounts.retrieveCurrent()).id,
  );
  expect((await mine.accounts.retrieveCurrent()).id).not.toBe((await other.accounts.retrieveCurrent()).id);
  await expect(other.customers.retrieve(id)).rejects.toMatchObject({ code: 'resource_missing', statusCode: 404 });
});

test('opens live accounts and rejects connected accounts', async () => {
  await using processor = await startProcessor();
  const live = connect(processor, 'sk_live_1234567890abcdef');
  expect(await live.customers.create({})).toMatchObject({ livemode: true });
  await expect(live.customers.list({}, { stripeAccount: 'acct_1' })).rejects.toMatchObject({
    type: 'StripePermissionError',
    code: 'account_invalid',
  });
});

test('returns errors that the stripe library recognizes', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  await expect(connect(processor, 'sk_test_invalid00').customers.list()).rejects.toBeInstanceOf(
    Stripe.errors.StripeAuthenticationError,
  );
  await expect(stripe.customers.retrieve('cus_none')).rejects.toMatchObject({
    type: 'StripeInvalidRequestError',
    code: 'resource_missing',
    param: 'id',
    statusCode: 404,
    message: "No such customer: 'cus_none'",
  });
  await expect(stripe.rawRequest('POST', '/v1/customers', { foo: 1, bar: 2 })).rejects.toMatchObject({
    code: 'parameter_unknown',
    param: 'foo',
    message: 'Received unknown parameters: foo, bar',
  });
  await expect(stripe.rawRequest('GET', '/v1/nothing')).rejects.toMatchObject({ statusCode: 404 });
  await expect(stripe.products.create({ name: '' })).rejects.toMatchObject({ code: 'parameter_invalid_empty' });
  await expect(stripe.customers.list({ limit: 101 })).rejects.toMatchObject({ param: 'limit' });
  await expect(stripe.customers.list({ starting_after: 'cus_none' })).rejects.toMatchObject({
    param: 'starting_after',
  });
  await expect(stripe.customers.list({ expand: ['data.nothing'] })).resolves.toMatchObject({ data: [] });
  await stripe.customers.create({});
  await expect(stripe.customers.list({ expand: ['data.nothing'] })).rejects.toThrow(/cannot be expanded/);
});

test.each([
  ['a key of 41 characters', { ['k'.repeat(41)]: 'v' }, /40 characters/],
  ['a value of 501 characters', { k: 'v'.repeat(501) }, /500 characters/],
  ['51 keys', Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v'])), /50 keys/],
])('rejects metadata with %s', async (_, metadata: Record<string, string>, message) => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  await expect(stripe.customers.create({ metadata })).rejects.toThrow(message);
  expect((await stripe.customers.list()).data).toEqual([]);
});

test('stores metadata keys that are names of Object.prototype', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const metadata = { toString: 'a', constructor: 'b', hasOwnProperty: 'c' };
  const { id } = (await stripe.rawRequest('POST', '/v1/customers', { metadata })) as unknown as { id: string };
  expect(await stripe.customers.retrieve(id)).toMatchObject({ metadata });
});

test('rejects a body that is no form, in Stripe’s shape', async () => {
  await using processor = await startProcessor();
  const headers = { authorization: `Bearer ${freshKey()}`, 'content-type': 'application/json' };
  const response = await fetch(`${processor.url}/v1/customers`, { method: 'POST', headers, body: '{}' });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
});

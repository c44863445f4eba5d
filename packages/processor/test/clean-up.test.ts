import { startLocalProcessor } from '@billing/local-processor/server';
import { expect, it } from 'vitest';
import { cleanUp, CONTRACT_KEY_PREFIX } from './contract/clean-up.ts';
import { stripeClient } from '../src/stripe-client.ts';

it('removes what the contract has created, and nothing else', async () => {
  const { url, close } = await startLocalProcessor();
  const stripe = stripeClient('sk_test_cleanup0000', url);
  const since = new Date();
  const create = async (name: string) => {
    const key = (kind: string) => ({ idempotencyKey: `${name}${kind}` });
    await stripe.customers.create({ name }, key('customer'));
    await stripe.coupons.create({ name: name.slice(0, 20), percent_off: 10 }, key('coupon'));
    await stripe.products.create({ name: `${name} without price` }, key('bare'));
    const { id: product } = await stripe.products.create({ name }, key('product'));
    await stripe.prices.create({ product, currency: 'usd', unit_amount: 1, nickname: name }, key('price'));
  };
  await create(`${CONTRACT_KEY_PREFIX}theirs`);
  await create('ours');

  await cleanUp(stripe, since, 0);

  expect((await stripe.customers.list()).data.map(({ name }) => name)).toEqual(['ours']);
  expect((await stripe.coupons.list()).data.map(({ name }) => name)).toEqual(['ours']);
  expect((await stripe.prices.list({ active: true })).data.map(({ nickname }) => nickname)).toEqual(['ours']);
  const products = (await stripe.products.list()).data.map(({ name, active }) => [name, active]);
  expect(products).toEqual([
    ['ours', true],
    ['ours without price', true],
    [`${CONTRACT_KEY_PREFIX}theirs`, false],
  ]);
  await close();
});

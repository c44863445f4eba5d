import { randomBytes } from 'node:crypto';
import { type LocalProcessor, startLocalProcessor } from '@billing/local-processor/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stripeClient } from '../src/stripe-client.ts';
import { stripeProcessor } from '../src/stripe-processor.ts';

const ITEMS = 12;

let local: LocalProcessor;
beforeAll(async () => {
  local = await startLocalProcessor();
});
afterAll(() => local.close());

/** A subscription to twelve prices, of which Stripe's objects show ten. */
async function subscribe() {
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  const stripe = stripeClient(secretKey, local.url);
  const { id: customer } = await stripe.customers.create({ email: 'ada@example.com' });
  const { id: product } = await stripe.products.create({ name: 'Pro' });
  const recurring = { interval: 'month' } as const;
  const prices = await Promise.all(
    Array.from({ length: ITEMS }, () =>
      stripe.prices.create({ product, currency: 'usd', unit_amount: 500, recurring }),
    ),
  );
  const items = prices.map(({ id: price }) => ({ price }));
  const { id } = await stripe.subscriptions.create({ customer, items, payment_behavior: 'default_incomplete' });
  expect((await stripe.subscriptions.retrieve(id)).items).toMatchObject({ has_more: true, data: { length: 10 } });
  return { processor: stripeProcessor(secretKey, local.url), id, customer };
}

it('returns all items of a subscription, whichever way it is read', async () => {
  const { processor, id, customer } = await subscribe();
  const whole = { items: { has_more: false, data: { length: ITEMS } } };
  expect((await processor.findSubscription(id)).items).toHaveLength(ITEMS);
  expect((await processor.listSubscriptions(customer))[0]?.items).toHaveLength(ITEMS);
  expect(await processor.findObject('customer.subscription', id)).toMatchObject(whole);
  expect((await processor.findListed('subscription', id)).object).toMatchObject(whole);
  expect((await processor.listObjects('subscription')).objects).toMatchObject([whole]);
});

it('reads whether a customer with many subscriptions is taxed', async () => {
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  const stripe = stripeClient(secretKey, local.url);
  const address = { country: 'DE', postal_code: '10115' };
  const { id: customer } = await stripe.customers.create({ email: 'ada@example.com', address });
  const { id: product } = await stripe.products.create({ name: 'Pro' });
  const recurring = { interval: 'month' } as const;
  const { id: price } = await stripe.prices.create({ product, currency: 'eur', unit_amount: 500, recurring });
  const billed = { customer, items: [{ price }], payment_behavior: 'default_incomplete' as const };
  const processor = stripeProcessor(secretKey, local.url);
  await stripe.subscriptions.create({ ...billed, automatic_tax: { enabled: true } });
  for (let others = 1; others < ITEMS; others += 1) await stripe.subscriptions.create(billed);
  expect(await processor.findBilledCustomer(customer)).toMatchObject({ isTaxed: true });
});

it('completes an object as it was, with the rest as it is', async () => {
  const { processor, id } = await subscribe();
  const [first] = (await processor.findSubscription(id)).items;
  const data = [{ id: first?.id, object: 'subscription_item', quantity: 7 }];
  const cut = { id, object: 'subscription', items: { object: 'list', data, has_more: true }, quantity: 7 };
  const { items } = await processor.completeLists(cut);
  expect(items).toMatchObject({ has_more: false, data: { length: ITEMS, 0: { quantity: 7 } } });
});

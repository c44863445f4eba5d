import { PriceCreated, PriceUpdated, ProductCreated } from '@billing/contracts/events/catalog';
import { CountSubscriptionsOfPrices } from '@billing/contracts/rpc/catalog';
import { newEvent } from '@billing/testing/events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findPricesByKey } from '../src/copies/find-prices-by-key.ts';
import { startMigration } from './migrate-prices.ts';
import { startService, type Service } from './service.ts';
import { startBilling } from './start-billing.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.run();
});
afterAll(() => service[Symbol.asyncDispose]());

const notFound = { status: 404, body: { error: { code: 'price_not_found' } } };
const URLS = { successUrl: 'https://shop.example/done', cancelUrl: 'https://shop.example/no' };

async function startKeyed() {
  const migration = await startMigration(service);
  const { scope, createPrice } = migration;
  const keyed = await createPrice({ unitAmount: 2_000, key: 'pro' });
  const post = (path: string, body: object) => service.call('POST', path, { of: scope, body });
  return {
    ...migration,
    keyed,
    post,
    checkout: (body: object) => post('/checkout', { customerId: migration.customer.id, ...URLS, ...body }),
    amountsOf: async (sessionId: string) => {
      const { data } = await service.account.dashboard.checkout.sessions.listLineItems(sessionId);
      return data.map(({ amount_subtotal: amount }) => amount).toSorted((a, b) => b - a);
    },
  };
}

it('sells the newest active price of a key, alone and among items', async () => {
  const { checkout, amountsOf, createPrice } = await startKeyed();
  const alone = await checkout({ priceKey: 'pro', quantity: 2 });
  expect(alone).toMatchObject({ status: 201 });
  expect(await amountsOf(alone.body.sessionId)).toEqual([4_000]);
  const other = await createPrice({ unitAmount: 300 });
  await createPrice({ unitAmount: 2_500, key: 'pro' });
  const items = [{ priceKey: 'pro' }, { priceId: other.id, quantity: 3 }];
  const both = await checkout({ items });
  expect(await amountsOf(both.body.sessionId)).toEqual([2_500, 900]);
});

it('refuses an unknown key, both an id and a key, and a price twice', async () => {
  const { checkout, keyed, create, post, subscribe } = await startKeyed();
  const { id } = await subscribe();
  expect(await checkout({ priceKey: 'none' })).toMatchObject(notFound);
  expect(await checkout({ items: [{ priceKey: 'none' }] })).toMatchObject(notFound);
  expect(await create({ fromPriceId: undefined, fromPriceKey: 'none' })).toMatchObject(notFound);
  expect(await post(`/subscriptions/${id}/change`, { priceKey: 'none' })).toMatchObject(notFound);
  const both = { priceId: keyed.id, priceKey: 'pro' };
  const bodies = [
    both,
    { items: [both] },
    { items: [{}] },
    { items: [{ priceId: keyed.id }, { priceKey: 'pro' }] },
    { items: [{ priceKey: 'pro' }, { priceKey: 'pro' }] },
    { priceKey: 'pro', items: [{ priceKey: 'pro' }] },
    { priceKey: 'No key' },
  ];
  for (const body of bodies) {
    expect(await checkout(body)).toMatchObject({ status: 400 });
    expect(await post(`/subscriptions/${id}/change`, body)).toMatchObject({ status: 400 });
    expect(await post(`/subscriptions/${id}/change/preview`, body)).toMatchObject({ status: 400 });
  }
  expect(await create({ toPriceKey: 'pro' })).toMatchObject({ status: 400 });
  expect(await create({ toPriceId: undefined })).toMatchObject({ status: 400 });
});

it('changes the plan to the price of a key', async () => {
  const { post, subscribe, getSubscription, keyed, deliver } = await startKeyed();
  const { id } = await subscribe();
  const previewed = await post(`/subscriptions/${id}/change/preview`, { items: [{ priceKey: 'pro' }] });
  expect(previewed).toMatchObject({ status: 200, body: { preview: { nextInvoice: { total: 2_000 } } } });
  const changed = await post(`/subscriptions/${id}/change`, { priceKey: 'pro' });
  expect(changed).toMatchObject({ status: 200, body: { subscription: { priceId: keyed.id } } });
  await deliver();
  expect(await getSubscription(id)).toMatchObject({ priceId: keyed.id });
});

it('migrates to the price of a key', async () => {
  const { create, from, keyed } = await startKeyed();
  const created = await create({ toPriceId: undefined, toPriceKey: 'pro', mode: 'report' });
  const prices = { fromPriceId: from.id, toPriceId: keyed.id };
  expect(created).toMatchObject({ status: 202, body: { priceMigration: prices } });
});

it('bills the one-time price of a key', async () => {
  const billing = await startBilling(service);
  const { price } = await service.createPrice({ recurring: false, unitAmount: 900, key: 'setup' }, billing.scope);
  const lines = [{ priceKey: 'setup', quantity: 2 }];
  expect(await billing.preview({ lines })).toMatchObject({ status: 200, body: { preview: { subtotal: 1_800 } } });
  expect(await billing.create({ lines })).toMatchObject({ status: 201, body: { invoice: { total: 1_800 } } });
  const { id } = await billing.subscribe();
  const item = await billing.item(id, { priceKey: 'setup' });
  expect(item).toMatchObject({ status: 201, body: { invoiceItem: { priceId: price.id, amount: 900 } } });
  expect(await billing.item(id, { priceKey: 'none' })).toMatchObject(notFound);
  expect(await billing.item(id, { priceKey: 'setup', priceId: price.id })).toMatchObject({ status: 400 });
});

it('leaves metadata alone that look like keys', async () => {
  const { checkout, keyed } = await startKeyed();
  const { body } = await checkout({ priceId: keyed.id, metadata: { priceKey: 'mine' } });
  const { metadata } = await service.account.dashboard.checkout.sessions.retrieve(body.sessionId);
  expect(metadata).toMatchObject({ priceKey: 'mine' });
});

it('counts the subscriptions of prices that have not ended', async () => {
  const { subscribe, from, to, keyed, scope, deliver } = await startKeyed();
  await subscribe();
  await subscribe({ otherPrices: [keyed.processorPriceId] });
  const { processorId } = await subscribe();
  await service.account.dashboard.subscriptions.cancel(processorId);
  await deliver();
  const priceIds = [from.id, to.id, keyed.id];
  const counts = await service.rpc.call(CountSubscriptionsOfPrices, { ...scope, priceIds });
  expect(counts).toEqual({ [from.id]: 2, [keyed.id]: 1 });
});

it('takes the newest active price that it knows while the catalog is down', async () => {
  await using alone = await startService();
  const { scope } = alone;
  const [old, newer, archived] = [
    await alone.createPrice({ key: 'pro', unitAmount: 1 }),
    await alone.createPrice({ key: 'pro', unitAmount: 2 }),
    await alone.createPrice({ key: 'pro', unitAmount: 3 }),
  ];
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000);
  for (const [index, { price, product }] of [archived, newer, old].entries()) {
    await alone.deliver(newEvent(ProductCreated, scope.teamId, product));
    const version = price.version + 1;
    const state = { ...price, createdAt: at(-index), version, isActive: price.id !== archived.price.id };
    await alone.deliver(newEvent(PriceUpdated, scope.teamId, state), newEvent(PriceCreated, scope.teamId, price));
  }
  await alone.stopOtherServices();
  const find = findPricesByKey(alone);
  expect(await find(scope, ['pro'])).toEqual(new Map([['pro', newer.price.id]]));
  await expect(find(scope, ['pro', 'none'])).rejects.toMatchObject({ code: 'unavailable' });
});

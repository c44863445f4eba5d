import { expect, it } from 'vitest';
import { PriceCreated, PriceDeleted, PriceUpdated, ProductUpdated } from '@billing/contracts/events/catalog';
import { PriceId, ProductId, ProjectId } from '@billing/contracts/ids';
import { FindPriceByProcessorId, FindPrices, FindProducts } from '@billing/contracts/rpc/calls';
import { startCatalog } from './start-catalog.ts';

it('creates a recurring price at the processor and here, and publishes one event', async () => {
  await using catalog = await startCatalog();
  const product = await catalog.createProduct();
  const body = {
    productId: product.id,
    unitAmount: 2_999,
    currency: 'eur',
    interval: 'month',
    taxBehavior: 'inclusive',
    metadata: { a: 'b' },
  };
  const created = await catalog.call('POST', '/prices', { body });
  expect(created.status).toBe(201);
  const { price } = created.body;
  expect(price).toEqual({
    id: expect.stringMatching(/^pri_/),
    productId: product.id,
    unitAmount: 2_999,
    currency: 'eur',
    currencyOptions: {},
    type: 'recurring',
    interval: 'month',
    intervalCount: 1,
    taxBehavior: 'inclusive',
    isActive: true,
    processorPriceId: expect.stringMatching(/^price_/),
    metadata: { a: 'b' },
    createdAt: expect.stringMatching(/Z$/),
  });
  const atProcessor = await catalog.processor.findPrice(price.processorPriceId);
  expect(atProcessor).toMatchObject({
    productId: product.processorProductId,
    unitAmount: 2_999,
    currency: 'eur',
    interval: 'month',
    intervalCount: 1,
    taxBehavior: 'inclusive',
  });
  expect(atProcessor.metadata).toEqual({ a: 'b', ...catalog.scope, priceId: price.id });
  expect((await catalog.call('GET', `/prices/${price.id}`)).body).toEqual(price);
  const { createdAt, ...state } = price;
  const amount = { unitAmountDecimal: '2999', billingScheme: 'per_unit', metered: false, meter: null };
  const { projectId } = catalog.scope;
  expect((await catalog.published(PriceCreated)).map(({ data: { change: _change, ...data } }) => data)).toEqual([
    { ...state, ...amount, key: null, projectId, version: 1, createdAt: new Date(createdAt), deletedAt: null },
  ]);
});

it('creates a one-time price', async () => {
  await using catalog = await startCatalog();
  const { id: productId } = await catalog.createProduct();
  const body = { productId, unitAmount: 0, currency: 'jpy', type: 'one_time' };
  const { price } = (await catalog.call('POST', '/prices', { body })).body;
  expect(price).toMatchObject({ type: 'one_time', unitAmount: 0, currency: 'jpy', taxBehavior: 'unspecified' });
  expect(price).not.toHaveProperty('interval');
  expect(price).not.toHaveProperty('intervalCount');
  expect((await catalog.processor.findPrice(price.processorPriceId)).type).toBe('one_time');
});

it('refuses a price of an archived, deleted or unknown product', async () => {
  await using catalog = await startCatalog();
  const { id: archived } = await catalog.createProduct();
  await catalog.call('PATCH', `/products/${archived}`, { body: { isActive: false } });
  const { id: deleted } = await catalog.createProduct();
  await catalog.call('DELETE', `/products/${deleted}`);
  const create = (productId: string) =>
    catalog.call('POST', '/prices', { body: { productId, unitAmount: 1, currency: 'usd', interval: 'day' } });
  expect(await create(archived)).toMatchObject({ status: 422, body: { error: { code: 'product_inactive' } } });
  for (const gone of [deleted, ProductId.create()])
    expect(await create(gone)).toMatchObject({ status: 404, body: { error: { code: 'product_not_found' } } });
  expect((await catalog.control.ledger()).objects.filter(({ id }) => id.startsWith('price_'))).toEqual([]);
});

it('filters prices by product and by activity, newest first', async () => {
  await using catalog = await startCatalog();
  const { id: pro } = await catalog.createProduct({ name: 'Pro' });
  const { id: team } = await catalog.createProduct({ name: 'Team' });
  const first = await catalog.createPrice(pro);
  const second = await catalog.createPrice(team);
  const third = await catalog.createPrice(pro);
  await catalog.call('PATCH', `/prices/${first.id}`, { body: { isActive: false } });
  const ids = async (query: string) =>
    (await catalog.call('GET', `/prices${query}`)).body.prices.map(({ id }: { id: string }) => id);
  expect(await ids('')).toEqual([third.id, second.id]);
  expect(await ids('?activeOnly=false')).toEqual([third.id, second.id, first.id]);
  expect(await ids(`?productId=${pro}`)).toEqual([third.id]);
  expect(await ids(`?productId=${pro}&activeOnly=false`)).toEqual([third.id, first.id]);
  expect(await ids(`?productId=${ProductId.create()}`)).toEqual([]);
  expect((await catalog.call('GET', '/prices')).body.pagination).toMatchObject({ limit: 1_000, hasMore: false });
  const page = await catalog.call('GET', '/prices?activeOnly=false&limit=1&offset=2');
  expect(page.body).toMatchObject({ prices: [{ id: first.id }], pagination: { total: 3, hasMore: false } });
});

it('changes only activity and metadata', async () => {
  await using catalog = await startCatalog();
  const product = await catalog.createProduct();
  const { id, processorPriceId } = await catalog.createPrice(product.id, { metadata: { keep: '1', drop: '2' } });
  const changed = await catalog.call('PATCH', `/prices/${id}`, { body: { isActive: false, metadata: { keep: '3' } } });
  expect(changed.status).toBe(200);
  expect(changed.body.price).toMatchObject({ isActive: false, unitAmount: 2_999 });
  expect(changed.body.price.metadata).toEqual({ keep: '3' });
  const atProcessor = await catalog.processor.findPrice(processorPriceId);
  expect(atProcessor.isActive).toBe(false);
  expect(atProcessor.metadata).toEqual({ keep: '3', ...catalog.scope, priceId: id });
  expect(await catalog.published(PriceUpdated)).toMatchObject([{ data: { id, isActive: false, version: 2 } }]);

  for (const field of ['unitAmount', 'currency', 'interval', 'intervalCount', 'type', 'productId']) {
    const refused = await catalog.call('PATCH', `/prices/${id}`, { body: { [field]: 1 } });
    expect(refused).toMatchObject({ status: 400, body: { error: { details: { fields: [{ path: field }] } } } });
  }
});

it('deactivates a deleted price and still returns it to other services', async () => {
  await using catalog = await startCatalog();
  await catalog.run();
  const product = await catalog.createProduct();
  const price = await catalog.createPrice(product.id);
  expect(await catalog.call('DELETE', `/prices/${price.id}`)).toMatchObject({ status: 200, body: { success: true } });
  expect((await catalog.processor.findPrice(price.processorPriceId)).isActive).toBe(false);
  for (const method of ['GET', 'DELETE'] as const)
    expect(await catalog.call(method, `/prices/${price.id}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'price_not_found' } },
    });
  expect((await catalog.call('GET', '/prices?activeOnly=false')).body.prices).toEqual([]);
  expect(await catalog.published(PriceDeleted)).toMatchObject([
    { data: { id: price.id, version: 2, deletedAt: expect.any(Date) } },
  ]);

  const { processorPriceId } = price;
  expect(await catalog.rpc.call(FindPrices, { ...catalog.scope, priceIds: [price.id] })).toEqual([]);
  expect(await catalog.rpc.call(FindPriceByProcessorId, { ...catalog.scope, processorPriceId })).toMatchObject({
    price: { id: price.id, unitAmount: 2_999, deletedAt: expect.any(Date) },
    product: { id: product.id },
  });
});

it.each(['archives', 'deletes'])('%s the default price of a product', async what => {
  await using catalog = await startCatalog();
  const product = await catalog.createProduct();
  const price = await catalog.createPrice(product.id);
  await catalog.dashboard.products.update(product.processorProductId, { default_price: price.processorPriceId });
  const path = `/prices/${price.id}`;
  const done =
    what === 'deletes'
      ? await catalog.call('DELETE', path)
      : await catalog.call('PATCH', path, { body: { isActive: false } });
  expect(done.status).toBe(200);
  expect((await catalog.processor.findPrice(price.processorPriceId)).isActive).toBe(false);
  expect((await catalog.processor.findProduct(product.processorProductId)).defaultPriceId).toBeNull();
  await catalog.deliver(...(await catalog.events()));
  expect(await catalog.published(ProductUpdated)).toEqual([]);
});

it('responds to another project’s price as to a missing one', async () => {
  await using catalog = await startCatalog();
  await catalog.run();
  const product = await catalog.createProduct();
  const { id, processorPriceId } = await catalog.createPrice(product.id);
  const otherScope = { ...catalog.scope, projectId: ProjectId.create() };
  const headers = { 'x-request-id': 'r1' };
  for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
    const body = method === 'PATCH' ? { body: { isActive: false } } : {};
    const foreign = await catalog.call(method, `/prices/${id}`, { of: otherScope, headers, ...body });
    const absent = await catalog.call(method, `/prices/${PriceId.create()}`, { of: otherScope, headers, ...body });
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(absent.text);
  }
  const body = { productId: product.id, unitAmount: 1, currency: 'usd', interval: 'day' };
  expect((await catalog.call('POST', '/prices', { of: otherScope, body })).status).toBe(404);
  expect(await catalog.rpc.call(FindPrices, { ...otherScope, priceIds: [id] })).toEqual([]);
  expect(await catalog.rpc.call(FindProducts, { ...otherScope, productIds: [product.id] })).toEqual([]);
  expect(await catalog.rpc.call(FindPriceByProcessorId, { ...otherScope, processorPriceId })).toBeNull();
});

it('returns a price and its product to other services', async () => {
  await using catalog = await startCatalog();
  await catalog.run();
  const product = await catalog.createProduct();
  const price = await catalog.createPrice(product.id);
  const priced = {
    price: { id: price.id, productId: product.id, unitAmount: 2_999, interval: 'month', intervalCount: 1, version: 1 },
    product: { id: product.id, name: 'Pro', isActive: true },
  };
  const { id: priceId, processorPriceId } = price;
  const priceIds = [priceId, PriceId.create()];
  expect(await catalog.rpc.call(FindPrices, { ...catalog.scope, priceIds })).toMatchObject([priced]);
  const productIds = [product.id, ProductId.create()];
  expect(await catalog.rpc.call(FindProducts, { ...catalog.scope, productIds })).toMatchObject([priced.product]);
  expect(await catalog.rpc.call(FindPriceByProcessorId, { ...catalog.scope, processorPriceId })).toMatchObject(priced);
});

it('names every invalid field', async () => {
  await using catalog = await startCatalog();
  for (const [wrong, fields] of [
    [{ interval: undefined }, ['interval']],
    [{ unitAmount: 1.5, currency: 'USD' }, ['currency', 'unitAmount']],
    [{ unitAmount: 100_000_000 }, ['unitAmount']],
    [{ interval: 'year', intervalCount: 4 }, ['intervalCount']],
    [{ type: 'one_time', interval: 'month' }, ['interval']],
  ] as const) {
    const body = { productId: ProductId.create(), unitAmount: 1, currency: 'usd', interval: 'month', ...wrong };
    const refused = await catalog.call('POST', '/prices', { body });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } });
    const paths = refused.body.error.details.fields.map(({ path }: { path: string }) => path);
    expect(paths.toSorted()).toEqual([...fields]);
  }
});

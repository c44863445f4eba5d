import { expect, it } from 'vitest';
import { ProductDeleted, ProductUpdated } from '@billing/contracts/events/catalog';
import { ProductId, ProjectId } from '@billing/contracts/ids';
import { startCatalog } from './start-catalog.ts';

const TAX_CODE = 'txcd_10103001';

it('creates a product at the processor and here, and publishes one event', async () => {
  await using catalog = await startCatalog();
  const { teamId, projectId } = catalog.scope;
  const body = {
    name: ' Pro ',
    description: 'For teams',
    unitLabel: 'seat',
    taxCode: TAX_CODE,
    metadata: { tier: 'pro' },
  };
  const created = await catalog.call('POST', '/products', { body });
  expect(created.status).toBe(201);
  const { product } = created.body;
  expect(product).toEqual({
    id: expect.stringMatching(/^pp_/),
    name: 'Pro',
    description: 'For teams',
    unitLabel: 'seat',
    taxCode: TAX_CODE,
    isActive: true,
    processorProductId: expect.stringMatching(/^prod_/),
    metadata: { tier: 'pro' },
    projectId,
    createdAt: expect.stringMatching(/Z$/),
  });
  expect(await catalog.processor.findProduct(product.processorProductId)).toMatchObject({
    name: 'Pro',
    description: 'For teams',
    unitLabel: 'seat',
    taxCode: TAX_CODE,
    metadata: { tier: 'pro', teamId, projectId },
  });
  expect((await catalog.call('GET', `/products/${product.id}`)).body).toEqual(product);
  const state = {
    id: product.id,
    key: null,
    projectId,
    name: 'Pro',
    description: 'For teams',
    unitLabel: 'seat',
    taxCode: TAX_CODE,
    isActive: true,
    processorProductId: product.processorProductId,
    metadata: { tier: 'pro' },
    version: 1,
    createdAt: product.createdAt,
    deletedAt: null,
    change: expect.objectContaining({ types: ['product.created'], sequence: 1, previousAttributes: null }),
  };
  expect(await catalog.published()).toEqual([
    { id: expect.any(String), type: 'record.product.created.v1', teamId, data: state },
  ]);
  expect(await catalog.openOperations()).toEqual([]);
});

it.each([
  ['description', 'Text'],
  ['unitLabel', 'Text'],
  ['taxCode', TAX_CODE],
] as const)('takes null and an empty text for no %s, and removes one by them', async (field, text) => {
  await using catalog = await startCatalog();
  for (const none of [null, '']) {
    const { id, ...created } = await catalog.createProduct({ name: 'Plain', [field]: none, metadata: null });
    expect(created).not.toHaveProperty(field);
    const change = (value: string | null) => catalog.call('PATCH', `/products/${id}`, { body: { [field]: value } });
    expect((await change(text)).body.product).toHaveProperty(field, text);
    expect(await catalog.processor.findProduct(created.processorProductId)).toHaveProperty(field, text);
    const removed = await change(none);
    expect(removed.status).toBe(200);
    expect(removed.body.product).not.toHaveProperty(field);
    expect((await catalog.call('GET', `/products/${id}`)).body).toEqual(removed.body.product);
    expect(await catalog.processor.findProduct(created.processorProductId)).toHaveProperty(field, null);
  }
});

it('has one form of Unicode, whoever named it', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct({ name: 'Cafe\u0301' });
  const nameOf = async () => (await catalog.call('GET', `/products/${id}`)).body.name;
  expect(await nameOf()).toBe('Caf\u00e9');
  await catalog.control.advanceClock(2);
  await catalog.dashboard.products.update(processorProductId, { name: 'The\u0301' });
  await catalog.deliver(...(await catalog.events()));
  expect(await nameOf()).toBe('Th\u00e9');
});

it('lists all active products by default, newest first, and pages when requested', async () => {
  await using catalog = await startCatalog();
  const made = [];
  for (const name of ['a', 'b', 'c', 'd']) made.push(await catalog.createProduct({ name }));
  await catalog.call('PATCH', `/products/${made[1].id}`, { body: { isActive: false } });
  const names = (page: { products: { name: string }[] }) => page.products.map(({ name }) => name);

  const active = await catalog.call('GET', '/products');
  expect(names(active.body)).toEqual(['d', 'c', 'a']);
  expect(active.body.pagination).toEqual({
    limit: 1_000,
    offset: 0,
    total: 3,
    hasMore: false,
    totalIsExact: true,
    nextCursor: null,
  });
  expect(names((await catalog.call('GET', '/products?activeOnly=false')).body)).toEqual(['d', 'c', 'b', 'a']);
  const page = await catalog.call('GET', '/products?activeOnly=false&limit=2&offset=1');
  expect(names(page.body)).toEqual(['c', 'b']);
  expect(page.body.pagination).toEqual({
    limit: 2,
    offset: 1,
    total: 4,
    hasMore: true,
    totalIsExact: true,
    nextCursor: expect.any(String),
  });
  expect((await catalog.call('GET', '/products?limit=1000')).body.pagination.limit).toBe(100);
});

it('changes only the given fields, at the processor and here', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct({
    name: 'Pro',
    description: 'Old',
    unitLabel: 'seat',
    metadata: { keep: '1', drop: '2' },
  });
  const changed = await catalog.call('PATCH', `/products/${id}`, {
    body: { name: 'Team', metadata: { keep: '3', fresh: '4' } },
  });
  expect(changed.status).toBe(200);
  expect(changed.body.product).toMatchObject({
    name: 'Team',
    description: 'Old',
    unitLabel: 'seat',
    isActive: true,
    metadata: { keep: '3', fresh: '4' },
  });
  expect(changed.body.product.metadata).toEqual({ keep: '3', fresh: '4' });
  const atProcessor = await catalog.processor.findProduct(processorProductId);
  expect(atProcessor).toMatchObject({ name: 'Team', description: 'Old', unitLabel: 'seat', isActive: true });
  expect(atProcessor.metadata).toEqual({ keep: '3', fresh: '4', ...catalog.scope, operationId: expect.anything() });
  expect(await catalog.published(ProductUpdated)).toMatchObject([{ data: { id, name: 'Team', version: 2 } }]);
});

it('archives and activates a product', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct();
  for (const isActive of [false, true]) {
    const changed = await catalog.call('PATCH', `/products/${id}`, { body: { isActive } });
    expect(changed.body.product.isActive).toBe(isActive);
    expect((await catalog.processor.findProduct(processorProductId)).isActive).toBe(isActive);
  }
});

it('changes nothing for an empty patch', async () => {
  await using catalog = await startCatalog();
  const product = await catalog.createProduct();
  const unchanged = await catalog.call('PATCH', `/products/${product.id}`, { body: {} });
  expect(unchanged).toMatchObject({ status: 200, body: { product } });
  expect(await catalog.published(ProductUpdated)).toEqual([]);
});

it('archives a deleted product at the processor', async () => {
  await using catalog = await startCatalog();
  const product = await catalog.createProduct();
  const deleted = await catalog.call('DELETE', `/products/${product.id}`);
  expect(deleted).toMatchObject({ status: 200, body: { success: true } });
  expect((await catalog.processor.findProduct(product.processorProductId)).isActive).toBe(false);
  for (const [method, body] of [['GET'], ['PATCH', { name: 'Back' }], ['DELETE']] as const)
    expect(await catalog.call(method, `/products/${product.id}`, body ? { body } : {})).toMatchObject({
      status: 404,
      body: { error: { code: 'product_not_found' } },
    });
  expect((await catalog.call('GET', '/products?activeOnly=false')).body.products).toEqual([]);
  expect(await catalog.published(ProductDeleted)).toMatchObject([
    { data: { id: product.id, version: 2, deletedAt: expect.any(Date) } },
  ]);
});

it('deletes a product that has prices and a default price', async () => {
  await using catalog = await startCatalog();
  const product = await catalog.createProduct();
  const price = await catalog.createPrice(product.id);
  await catalog.dashboard.products.update(product.processorProductId, { default_price: price.processorPriceId });
  expect((await catalog.call('DELETE', `/products/${product.id}`)).status).toBe(200);
  expect((await catalog.call('GET', `/prices/${price.id}`)).body).toEqual(price);
});

it('responds to another project’s product as to a missing one', async () => {
  await using catalog = await startCatalog();
  const { id } = await catalog.createProduct();
  const otherScope = { ...catalog.scope, projectId: ProjectId.create() };
  const headers = { 'x-request-id': 'r1' };
  for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
    const body = method === 'PATCH' ? { body: { name: 'Mine' } } : {};
    const foreign = await catalog.call(method, `/products/${id}`, { of: otherScope, headers, ...body });
    const absent = await catalog.call(method, `/products/${ProductId.create()}`, { of: otherScope, headers, ...body });
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(absent.text);
  }
  expect((await catalog.call('GET', '/products?activeOnly=false', { of: otherScope })).body.products).toEqual([]);
  expect((await catalog.call('GET', `/products/${id}`)).status).toBe(200);
});

it('names every invalid field', async () => {
  await using catalog = await startCatalog();
  for (const [body, fields] of [
    [{}, ['name']],
    [{ name: '' }, ['name']],
    [{ name: 'a'.repeat(251), isActive: true }, ['isActive', 'name']],
    [{ name: 'a', unitLabel: 'a'.repeat(13) }, ['unitLabel']],
    [{ name: 'a', metadata: { projectId: 'proj_1' } }, ['metadata.projectId']],
    [{ name: 'a', metadata: { a: 1 } }, ['metadata.a']],
  ] as const) {
    const refused = await catalog.call('POST', '/products', { body });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'validation_error' } } });
    const paths = refused.body.error.details.fields.map(({ path }: { path: string }) => path);
    expect(paths.toSorted()).toEqual([...fields]);
  }
});

it('accepts the largest allowed metadata', async () => {
  await using catalog = await startCatalog();
  const metadata = Object.fromEntries(Array.from({ length: 46 }, (_, index) => [`key-${index}`, 'x'.repeat(500)]));
  expect((await catalog.createProduct({ name: 'Full', metadata })).metadata).toEqual(metadata);
});

it('reserves nothing while the processor is not connected', async () => {
  await using catalog = await startCatalog();
  catalog.disconnected.add(catalog.scope.teamId);
  expect(await catalog.call('POST', '/products', { body: { name: 'Pro' } })).toMatchObject({
    status: 409,
    body: { error: { code: 'processor_not_connected' } },
  });
  expect(await catalog.em.fork().execute('select 1 from products')).toEqual([]);
});

it('makes no more products than a project may have, however many requests come at once', async () => {
  await using catalog = await startCatalog();
  await catalog.createProduct();
  await catalog.em.fork().execute(
    `insert into products
     select (jsonb_populate_record(one, jsonb_build_object('id', 'pp_' || n, 'processor_id', 'prod_' || n))).*
       from products one, generate_series(1, 9997) n`,
  );
  const create = () => catalog.call('POST', '/products', { body: { name: 'One more' } });
  const responses = await Promise.all(Array.from({ length: 4 }, create));
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 422, 422]);
  const refused = { code: 'quota_exceeded', details: { quota: 'products', limit: 10_000 } };
  expect((await create()).body.error).toMatchObject(refused);
  await catalog.em.fork().execute(`update products set deleted_at = now() where id = 'pp_1'`);
  expect((await create()).status).toBe(201);
});

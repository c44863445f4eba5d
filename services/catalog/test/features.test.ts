import { AuditRecorded } from '@billing/contracts/events/audit';
import { ProductFeatureSaved, FeatureSaved } from '@billing/contracts/events/features';
import { describe, expect, it } from 'vitest';
import { startCatalog, type Catalog } from './start-catalog.ts';

const SEATS = { key: 'seats', name: 'Seats', type: 'limit' };
const define = (catalog: Catalog, body: object = SEATS) => catalog.call('POST', '/features', { body });

describe('a feature', () => {
  it('is defined, found by its key, listed, renamed and deactivated', async () => {
    await using catalog = await startCatalog();
    const created = await define(catalog);
    expect(created.status).toBe(201);
    const feature = {
      ...SEATS,
      id: expect.stringMatching(/^feat_/),
      values: null,
      merge: 'max',
      isActive: true,
      createdAt: expect.stringMatching(/Z$/),
    };
    expect(created.body).toEqual({ feature });
    expect((await catalog.call('GET', '/features/seats')).body).toEqual({ feature });
    expect((await catalog.call('GET', '/features')).body).toMatchObject({
      features: [feature],
      pagination: { total: 1 },
    });
    const changed = await catalog.call('PATCH', '/features/seats', { body: { name: 'Places', isActive: false } });
    expect(changed.body).toEqual({ feature: { ...feature, name: 'Places', isActive: false } });
    const { projectId } = catalog.scope;
    const state = { projectId, key: 'seats', type: 'limit', values: null, merge: 'max' };
    expect((await catalog.published(FeatureSaved)).map(({ data }) => data)).toEqual([
      { ...state, isActive: true, version: 1 },
      { ...state, isActive: false, version: 2 },
    ]);
    const audited = (await catalog.published(AuditRecorded)).map(({ data }) => data.changes.map(({ field }) => field));
    expect(audited).toEqual([
      ['key', 'name', 'type', 'merge'],
      ['name', 'isActive'],
    ]);
  });

  it('has a key that no other of the project has', async () => {
    await using catalog = await startCatalog();
    const responses = await Promise.all(Array.from({ length: 4 }, () => define(catalog)));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409]);
    expect(responses.find(({ status }) => status === 409)?.body.error.code).toBe('feature_key_taken');
  });

  it('takes what its type takes, and nothing else', async () => {
    await using catalog = await startCatalog();
    const refused = [
      { ...SEATS, key: 'Seats' },
      { ...SEATS, key: '' },
      { ...SEATS, values: ['a'] },
      { ...SEATS, type: 'value' },
      { ...SEATS, type: 'value', values: ['a', 'a'] },
      { ...SEATS, type: 'boolean', merge: 'sum' },
    ];
    for (const body of refused) expect((await define(catalog, body)).status).toBe(400);
    expect((await catalog.call('GET', '/features')).body.features).toEqual([]);
  });

  it('is 404 when no one defined it', async () => {
    await using catalog = await startCatalog();
    const { id } = await catalog.createProduct();
    const body = { value: 5 };
    for (const response of [
      await catalog.call('GET', '/features/seats'),
      await catalog.call('PATCH', '/features/seats', { body: { name: 'Places' } }),
      await catalog.call('GET', `/products/${id}/features/seats`),
      await catalog.call('PUT', `/products/${id}/features/seats`, { body }),
      await catalog.call('DELETE', `/products/${id}/features/seats`),
    ])
      expect(response).toMatchObject({ status: 404, body: { error: { code: 'feature_not_found' } } });
  });
});

describe('what a product or a price gives', () => {
  it('is set, replaced, listed and removed, and published with a growing version', async () => {
    await using catalog = await startCatalog();
    await define(catalog);
    const product = await catalog.createProduct();
    const price = await catalog.createPrice(product.id);
    for (const [path, ids] of [
      [`/products/${product.id}/features`, { productId: product.id, priceId: null }],
      [`/prices/${price.id}/features`, { productId: null, priceId: price.id }],
    ] as const) {
      const first = await catalog.call('PUT', `${path}/seats`, { body: { value: 5 } });
      expect(first.body).toEqual({ productFeature: { key: 'seats', value: 5, per: 'subscription', ...ids } });
      const body = { value: 'unlimited', per: 'quantity' };
      const { productFeature } = (await catalog.call('PUT', `${path}/seats`, { body })).body;
      expect((await catalog.call('PUT', `${path}/seats`, { body })).body).toEqual({ productFeature });
      expect((await catalog.call('GET', `${path}/seats`)).body).toEqual({ productFeature });
      expect((await catalog.call('GET', path)).body).toEqual({ productFeatures: [productFeature] });
      expect((await catalog.call('DELETE', `${path}/seats`)).body).toEqual({ success: true });
      expect(await catalog.call('DELETE', `${path}/seats`)).toMatchObject({
        status: 404,
        body: {
          error: { code: 'feature_not_found', message: expect.stringMatching(/^This (?:product|price) gives no such/) },
        },
      });
      expect((await catalog.call('GET', path)).body).toEqual({ productFeatures: [] });
      const again = await catalog.call('PUT', `${path}/seats`, { body: { value: 1 } });
      expect(again.status).toBe(200);
    }
    const saved = (await catalog.published(ProductFeatureSaved)).map(({ data }) => data);
    for (const id of [product.id, price.id])
      expect(saved.filter(({ ownerId }) => ownerId === id).map(({ value, version }) => [version, value])).toEqual([
        [1, 5],
        [2, 'unlimited'],
        [3, null],
        [4, 1],
      ]);
    const audited = (await catalog.published(AuditRecorded)).filter(({ data }) => data.action === 'removePriceFeature');
    expect(audited.map(({ data }) => data.changes)).toEqual([[{ field: 'seats.value', from: 'unlimited', to: null }]]);
  });

  it('is listed newest first: of all, of one feature, and of a product with its prices', async () => {
    await using catalog = await startCatalog();
    for (const key of ['seats', 'teams']) await define(catalog, { ...SEATS, key });
    const [first, second] = [await catalog.createProduct(), await catalog.createProduct()];
    const price = await catalog.createPrice(first.id);
    const set = (path: string, method: 'PUT' | 'DELETE' = 'PUT') =>
      catalog.call(method, path, method === 'PUT' ? { body: { value: 5 } } : {});
    for (const path of [
      `/products/${first.id}/features/seats`,
      `/prices/${price.id}/features/seats`,
      `/products/${first.id}/features/teams`,
      `/products/${second.id}/features/seats`,
    ])
      await set(path);
    await set(`/products/${first.id}/features/teams`, 'DELETE');
    const list = async (query = '') => (await catalog.call('GET', `/product-features${query}`)).body;
    const given = [
      { key: 'seats', value: 5, per: 'subscription', productId: second.id, priceId: null },
      { key: 'seats', value: 5, per: 'subscription', productId: null, priceId: price.id },
      { key: 'seats', value: 5, per: 'subscription', productId: first.id, priceId: null },
    ];
    expect(await list()).toMatchObject({ productFeatures: given, pagination: { total: 3 } });
    expect(await list('?featureKey=seats')).toMatchObject({ productFeatures: given });
    expect(await list('?featureKey=teams')).toMatchObject({ productFeatures: [] });
    expect(await list(`?productId=${first.id}`)).toMatchObject({ productFeatures: given.slice(1) });
    const page = await list('?limit=2');
    expect(await list(`?limit=2&cursor=${page.pagination.nextCursor}`)).toMatchObject({
      productFeatures: given.slice(2),
      pagination: { hasMore: false },
    });
    await set(`/products/${first.id}/features/teams`);
    expect((await list('?limit=1')).productFeatures).toMatchObject([{ key: 'teams' }]);
  });

  it('is a value that the feature may have', async () => {
    await using catalog = await startCatalog();
    await define(catalog);
    await define(catalog, { key: 'sso', name: 'Sign-in', type: 'boolean' });
    await define(catalog, { key: 'support', name: 'Support', type: 'value', values: ['basic', 'priority'] });
    const { id } = await catalog.createProduct();
    const statusOf = async (key: string, value: unknown) =>
      (await catalog.call('PUT', `/products/${id}/features/${key}`, { body: { value } })).status;
    for (const value of [0, 1e12, 'unlimited']) expect(await statusOf('seats', value)).toBe(200);
    for (const value of [true, 'many']) expect(await statusOf('seats', value)).toBe(422);
    for (const value of [-1, 1.5, 1e12 + 1, null]) expect(await statusOf('seats', value)).toBe(400);
    expect(await statusOf('sso', true)).toBe(200);
    expect(await statusOf('sso', 1)).toBe(422);
    expect(await statusOf('support', 'priority')).toBe(200);
    expect(await statusOf('support', 'gold')).toBe(422);
  });
});

import { AuditRecorded } from '@billing/contracts/events/audit';
import { PriceCreated, PriceUpdated, ProductCreated } from '@billing/contracts/events/catalog';
import { CouponSaved } from '@billing/contracts/events/discounts';
import { CompareObjects } from '@billing/contracts/rpc/syncs';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startCatalog, type Catalog } from './start-catalog.ts';

const isSet = { status: 422, body: { error: { code: 'catalog_key_set' } } };
const isTaken = { status: 409, body: { error: { code: 'catalog_key_taken' } } };

const KINDS = ['product', 'price', 'coupon'] as const;
type Kind = (typeof KINDS)[number];
const PATHS = { product: '/products', price: '/prices', coupon: '/coupons' } as const;

/** Creates, reads and changes records of one kind, whose responses show them alike. */
async function recordsOf(catalog: Catalog, kind: Kind) {
  const path = PATHS[kind];
  const { id: productId } = await catalog.createProduct();
  const bodies = {
    product: { name: 'Pro' },
    price: { productId, unitAmount: 2_999, currency: 'usd', interval: 'month' },
    coupon: { name: 'Spring', percentOff: 20, duration: 'forever' },
  };
  const { products, prices, coupons } = catalog.dashboard;
  const api = { product: products, price: prices, coupon: coupons }[kind];
  return {
    create: (body: object = {}) => catalog.call('POST', path, { body: { ...bodies[kind], ...body } }),
    read: async (id: string) => {
      const { body } = await catalog.call('GET', `${path}/${id}`);
      return body[kind] ?? body;
    },
    change: (id: string, body: object) => catalog.call('PATCH', `${path}/${id}`, { body }),
    list: async (key: string) => {
      const { body } = await catalog.call('GET', `${path}?key=${key}`);
      return body[`${kind}s`].map(({ id }: { id: string }) => id);
    },
    processorIdOf: (record: Record<string, string>) =>
      record[{ product: 'processorProductId', price: 'processorPriceId', coupon: 'processorCouponId' }[kind]] ?? '',
    metadataOf: async (id: string) => (await api.retrieve(id)).metadata,
    /** Changes metadata in the processor's dashboard. */
    mark: (id: string, metadata: Record<string, string>) => api.update(id, { metadata }),
  };
}

it.each(KINDS)('creates a %s with a key, which the processor has in its metadata', async kind => {
  await using catalog = await startCatalog();
  const records = await recordsOf(catalog, kind);
  const { status, body } = await records.create({ key: 'pro' });
  expect({ status, key: body[kind].key }).toEqual({ status: 201, key: 'pro' });
  expect(await records.metadataOf(records.processorIdOf(body[kind]))).toMatchObject({ catalogKey: 'pro' });
  expect(body[kind].metadata ?? {}).toEqual({});
  await catalog.deliver(...(await catalog.events(`${kind}.created`)));
  expect(await records.read(body[kind].id)).toMatchObject({ key: 'pro' });
  const { id: other } = (await records.create()).body[kind];
  expect(await records.list('pro')).toEqual([body[kind].id]);
  expect((await records.read(other)).key ?? null).toBeNull();
  const published = {
    product: () => catalog.published(ProductCreated),
    price: () => catalog.published(PriceCreated),
    coupon: () => catalog.published(CouponSaved),
  };
  const keys = (await published[kind]()).map(({ data }) => data.key);
  expect(keys.filter(key => key === 'pro')).toHaveLength(1);
});

it.each(KINDS)('gives a %s its key once', async kind => {
  await using catalog = await startCatalog();
  const records = await recordsOf(catalog, kind);
  const created = (await records.create()).body[kind];
  const { id } = created;
  for (let repeat = 0; repeat < 2; repeat += 1)
    expect(await records.change(id, { key: 'pro' })).toMatchObject({ status: 200, body: { [kind]: { key: 'pro' } } });
  expect(await records.change(id, { key: 'team' })).toMatchObject(isSet);
  expect(await records.read(id)).toMatchObject({ key: 'pro' });
  expect(await records.metadataOf(records.processorIdOf(created))).toMatchObject({ catalogKey: 'pro' });
  const entries = (await catalog.published(AuditRecorded)).filter(({ data }) => data.action.startsWith('update'));
  expect(entries.map(({ data }) => data.changes)).toEqual([[{ field: 'key', from: null, to: 'pro' }], []]);
  expect(await catalog.openOperations()).toEqual([]);
});

it.each(KINDS)('refuses another key than only the processor has of a %s', async kind => {
  await using catalog = await startCatalog();
  const records = await recordsOf(catalog, kind);
  const created = (await records.create()).body[kind];
  await records.mark(records.processorIdOf(created), { catalogKey: 'team' });
  expect(await records.change(created.id, { key: 'pro' })).toMatchObject(isSet);
  expect(await records.metadataOf(records.processorIdOf(created))).toMatchObject({ catalogKey: 'team' });
  expect(await catalog.openOperations()).toEqual([]);
});

it.each(KINDS)('refuses a key that another active %s has', async kind => {
  await using catalog = await startCatalog();
  const records = await recordsOf(catalog, kind);
  const { id } = (await records.create({ key: 'pro' })).body[kind];
  expect(await records.create({ key: 'pro' })).toMatchObject(isTaken);
  const { id: other } = (await records.create()).body[kind];
  expect(await records.change(other, { key: 'pro' })).toMatchObject(isTaken);
  // Deleted, it gives the key back.
  await catalog.call('DELETE', `${PATHS[kind]}/${id}`);
  expect(await records.change(other, { key: 'pro' })).toMatchObject({ status: 200 });
  expect(await catalog.openOperations()).toEqual([]);
});

it.each(['product', 'price'] as const)('lets an active %s have the key of an archived one', async kind => {
  await using catalog = await startCatalog();
  const records = await recordsOf(catalog, kind);
  const { id } = (await records.create({ key: 'pro' })).body[kind];
  expect(await records.change(id, { isActive: false })).toMatchObject({ status: 200 });
  const { id: next } = (await records.create({ key: 'pro' })).body[kind];
  expect(await records.change(id, { isActive: true })).toMatchObject(isTaken);
  expect(await records.change(next, { isActive: false })).toMatchObject({ status: 200 });
  expect(await records.change(id, { isActive: true })).toMatchObject({ status: 200 });
});

it.each(KINDS)('gives one of many that want a key at once the key of a %s', async kind => {
  await using catalog = await startCatalog();
  const records = await recordsOf(catalog, kind);
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.push((await records.create()).body[kind].id);
  const wanted = [...ids.map(id => records.change(id, { key: 'pro' })), records.create({ key: 'pro' })];
  const statuses = (await Promise.all(wanted)).map(({ status }) => status);
  expect(statuses.filter(status => status === 409)).toHaveLength(3);
  expect(await records.list('pro')).toHaveLength(1);
});

it('keeps the key where metadata are replaced', async () => {
  await using catalog = await startCatalog();
  const records = await recordsOf(catalog, 'price');
  const price = (await records.create({ key: 'pro', metadata: { season: 'spring' } })).body.price;
  for (const metadata of [{ season: 'summer' }, null]) {
    const changed = await records.change(price.id, { metadata });
    expect(changed).toMatchObject({ status: 200, body: { price: { key: 'pro' } } });
    expect(changed.body.price.metadata).toEqual(metadata ?? {});
  }
  expect(await records.metadataOf(price.processorPriceId)).toMatchObject({ catalogKey: 'pro' });
  const reserved = await records.change(price.id, { metadata: { catalogKey: 'team' } });
  expect(reserved).toMatchObject({ status: 400 });
});

it('has the key that the metadata got at the processor, in any order of events', async () => {
  await using catalog = await startCatalog();
  const { processorProductId: product } = await catalog.createProduct();
  const picks = fc.infiniteStream(fc.nat());
  await fc.assert(
    fc.asyncProperty(picks, async order => {
      const { id } = await catalog.dashboard.prices.create({ product, currency: 'usd', unit_amount: 5 });
      await catalog.control.advanceClock(2);
      await catalog.dashboard.prices.update(id, { metadata: { catalogKey: 'pro', season: 'spring' } });
      const events = (await catalog.events('price.created', 'price.updated')).filter(({ data }) =>
        JSON.stringify(data).includes(id),
      );
      const waiting = [...events, ...events];
      for (const pick of order) {
        if (waiting.length === 0) break;
        await catalog.deliver(...waiting.splice(pick % waiting.length, 1));
      }
      const { prices } = (await catalog.call('GET', '/prices?key=pro')).body;
      // Also doubles, which the processor can bring.
      expect(prices[0]).toMatchObject({ processorPriceId: id, key: 'pro', metadata: { season: 'spring' } });
    }),
    { numRuns: runs(5) },
  );
});

it('takes no key from metadata that are none', async () => {
  await using catalog = await startCatalog();
  const records = await recordsOf(catalog, 'product');
  const product = (await records.create()).body.product;
  await catalog.control.advanceClock(2);
  await records.mark(product.processorProductId, { catalogKey: 'No key', tier: 'pro' });
  await catalog.deliver(...(await catalog.events('product.created', 'product.updated')));
  const read = await records.read(product.id);
  expect(read).toMatchObject({ metadata: { tier: 'pro' } });
  expect(read).not.toHaveProperty('key');
  expect(read.metadata).not.toHaveProperty('catalogKey');
});

it.each(KINDS)('finds by a sync which key the processor has of a %s, and takes it', async kind => {
  await using catalog = await startCatalog();
  await catalog.run();
  const records = await recordsOf(catalog, kind);
  const created = (await records.create()).body[kind];
  await records.mark(records.processorIdOf(created), { catalogKey: 'pro' });
  const { objects } = await catalog.processor.listObjects(kind);
  const ofIt = objects.filter(({ id }) => id === records.processorIdOf(created));
  const compared = await catalog.rpc.call(CompareObjects.catalog, { ...catalog.scope, type: kind, objects: ofIt });
  expect(compared).toMatchObject([{ outcome: 'different', fields: [{ field: 'key', ours: null, theirs: 'pro' }] }]);
  await catalog.control.advanceClock(2);
  await catalog.deliver(...(await catalog.synced(kind)));
  expect(await records.read(created.id)).toMatchObject({ key: 'pro' });
});

it.each(['dropped', '500', 'done-but-response-lost', '500-but-done'] as const)(
  'sets a key once although the first call fails by %s',
  async mode => {
    await using catalog = await startCatalog();
    const records = await recordsOf(catalog, 'price');
    const price = (await records.create()).body.price;
    await catalog.control.fail({ method: 'POST', path: `/v1/prices/${price.processorPriceId}`, mode, kept: false });
    expect(await records.change(price.id, { key: 'pro' })).toMatchObject({ status: 200 });
    expect(await records.read(price.id)).toMatchObject({ key: 'pro' });
    expect(await catalog.published(PriceUpdated)).toMatchObject([{ data: { key: 'pro' } }]);
  },
);

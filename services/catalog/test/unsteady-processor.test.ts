import { expect, it } from 'vitest';
import { ProductCreated, ProductDeleted, ProductUpdated } from '@billing/contracts/events/catalog';
import type { FaultRequest } from '@billing/local-processor/control';
import { idempotencyKey } from '@billing/processor/idempotency-key';
import { waitFor } from '@billing/testing/wait-for';
import { openCatalogJournal } from '../src/operations/open-journal.ts';
import { createProduct } from '../src/operations/create-product.ts';
import { startCatalog, statesIn, type Catalog } from './harness.ts';

const CREATE = { method: 'POST', path: '/v1/products' } as const;

it.each<FaultRequest['mode']>(['429', '500', '502html', 'dropped', 'done-but-answer-lost'])(
  'gets a product through one call that goes wrong by %s, once',
  async mode => {
    await using catalog = await startCatalog();
    await catalog.control.fail({ ...CREATE, mode, kept: false });
    const created = await catalog.call('POST', '/products', { body: { name: 'Pro' } });
    expect(created.status).toBe(201);
    expect(await productsAtProcessor(catalog)).toEqual([created.body.product.processorProductId]);
    expect(await catalog.pendingWrites()).toEqual([]);
  },
);

it.each<FaultRequest['mode']>(['500', '502html'])(
  'leaves nothing behind when the processor goes on failing by %s',
  async mode => {
    await using catalog = await startCatalog();
    await catalog.control.fail({ ...CREATE, mode, times: 20 });
    const failed = await catalog.call('POST', '/products', { body: { name: 'Pro' } });
    expect(failed).toMatchObject({ status: 502, body: { error: { code: 'processor_error' } } });
    expect(failed.text).not.toContain('sk_test_');
    expect(await catalog.pendingWrites()).toEqual([]);
    expect(await catalog.em.fork().execute('select 1 from products')).toEqual([]);
    await catalog.control.clearFaults();
    expect((await catalog.call('POST', '/products', { body: { name: 'Pro' } })).status).toBe(201);
    expect(await productsAtProcessor(catalog)).toHaveLength(1);
  },
);

it.each<[string, FaultRequest[]]>([
  ['asks to slow down', [{ ...CREATE, mode: '429', times: 20 }]],
  ['does not answer', [{ ...CREATE, mode: 'dropped', times: 20 }]],
  [
    'does it and its answers are lost',
    [
      { ...CREATE, mode: 'done-but-answer-lost' },
      { ...CREATE, mode: 'dropped', times: 20 },
    ],
  ],
])('finishes a product later, once, when the processor %s', async (_what, faults) => {
  await using catalog = await startCatalog();
  for (const fault of faults) await catalog.control.fail(fault);
  const failed = await catalog.call('POST', '/products', { body: { name: 'Pro' } });
  expect(failed).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  expect(failed.headers['retry-after']).toMatch(/^\d+$/);
  expect((await catalog.call('GET', '/products?activeOnly=false')).body.products).toEqual([]);
  expect(await catalog.heard(ProductCreated)).toEqual([]);

  await catalog.control.clearFaults();
  catalog.startReconciler();
  catalog.startReconciler();
  const [product] = await waitFor(
    async () => {
      const { products } = (await catalog.call('GET', '/products')).body;
      return products.length > 0 && products;
    },
    { what: 'the product', timeoutMs: 10_000 },
  );
  expect(product).toMatchObject({ name: 'Pro' });
  expect(await productsAtProcessor(catalog)).toEqual([product.processorProductId]);
  expect(await catalog.heard(ProductCreated)).toHaveLength(1);
  expect(await catalog.pendingWrites()).toEqual([]);
});

it('gives the same product to the same Idempotency-Key, finished or not', async () => {
  await using catalog = await startCatalog();
  const request = { body: { name: 'Pro' }, headers: { 'idempotency-key': 'k1' } };
  await catalog.control.fail({ ...CREATE, mode: 'done-but-answer-lost' });
  await catalog.control.fail({ ...CREATE, mode: 'dropped', times: 20 });
  expect((await catalog.call('POST', '/products', request)).status).toBe(503);
  await catalog.control.clearFaults();
  const second = await catalog.call('POST', '/products', request);
  const third = await catalog.call('POST', '/products', request);
  expect([second.status, third.status]).toEqual([201, 201]);
  expect(third.body).toEqual(second.body);
  const other = await catalog.call('POST', '/products', { ...request, body: { name: 'Team' } });
  expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_key_reused']);
  expect(third.headers['idempotent-replayed']).toBe('true');
  expect(await productsAtProcessor(catalog)).toHaveLength(1);
  expect(await catalog.heard(ProductCreated)).toHaveLength(1);
});

it('resumes a creation that died after it went on record', async () => {
  await using catalog = await startCatalog();
  await dieWhileCreating(catalog, 'before');
  await expectOneProductAfterResume(catalog);
});

it('resumes a creation that died after the processor did it', async () => {
  await using catalog = await startCatalog();
  await dieWhileCreating(catalog, 'after');
  expect(await productsAtProcessor(catalog)).toHaveLength(1);
  await expectOneProductAfterResume(catalog);
});

it('finishes a change whose answer was lost, before the next one', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct({ name: 'v0' });
  await catalog.control.fail({ method: 'POST', path: '/v1/products/', mode: 'done-but-answer-lost' });
  await catalog.control.fail({ method: 'POST', path: '/v1/products/', mode: 'dropped', times: 20 });
  expect((await catalog.call('PATCH', `/products/${id}`, { body: { name: 'v1' } })).status).toBe(503);
  await catalog.control.clearFaults();
  const changed = await catalog.call('PATCH', `/products/${id}`, { body: { description: 'new' } });
  expect(changed.body.product).toMatchObject({ name: 'v1', description: 'new' });
  expect(await catalog.processor.findProduct(processorProductId)).toMatchObject({ name: 'v1', description: 'new' });
  expect(statesIn(await catalog.heard(ProductUpdated)).map(({ version }) => version)).toEqual([2, 3]);
});

it('changes nothing when the processor refuses a change', async () => {
  await using catalog = await startCatalog();
  const product = await catalog.createProduct({ name: 'v0' });
  await catalog.dashboard.products.del(product.processorProductId);
  expect(await catalog.call('PATCH', `/products/${product.id}`, { body: { name: 'v1' } })).toMatchObject({
    status: 502,
    body: { error: { code: 'processor_error', details: { code: 'resource_missing' } } },
  });
  expect((await catalog.call('GET', `/products/${product.id}`)).body).toEqual(product);
  expect(await catalog.pendingWrites()).toEqual([]);
  expect((await catalog.call('DELETE', `/products/${product.id}`)).status).toBe(200);
});

it('finishes a deletion whose answer was lost', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct();
  await catalog.control.fail({ method: 'POST', path: '/v1/products/', mode: 'done-but-answer-lost' });
  await catalog.control.fail({ method: 'POST', path: '/v1/products/', mode: 'dropped', times: 20 });
  expect((await catalog.call('DELETE', `/products/${id}`)).status).toBe(503);
  await catalog.control.clearFaults();
  catalog.startReconciler();
  await waitFor(async () => (await catalog.call('GET', `/products/${id}`)).status === 404, { what: 'the deletion' });
  expect((await catalog.processor.findProduct(processorProductId)).isActive).toBe(false);
  expect(await catalog.heard(ProductDeleted)).toHaveLength(1);
});

it('gives up what the processor would no longer recognize as a repeat', async () => {
  await using catalog = await startCatalog();
  await dieWhileCreating(catalog, 'before');
  await catalog.em.fork().execute(`update pending_writes set created_at = now() - interval '24 hours'`);
  await Promise.all(await catalog.journal.resumeDue(10));
  expect(await catalog.pendingWrites()).toEqual([]);
  expect(await catalog.em.fork().execute('select 1 from products')).toEqual([]);
  expect(await productsAtProcessor(catalog)).toEqual([]);
});

it('opens no transaction while the processor is asked', async () => {
  await using catalog = await startCatalog();
  await catalog.control.fail({ ...CREATE, mode: 'slow', delayMs: 700 });
  const creating = catalog.call('POST', '/products', { body: { name: 'Slow' } });
  await waitFor(async () => (await catalog.pendingWrites()).length > 0, { what: 'the write to be on record' });
  const open = await catalog.em
    .fork()
    .execute(
      `select query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
    );
  expect(open).toEqual([]);
  expect((await catalog.call('GET', '/products')).body.products).toEqual([]);
  expect((await creating).status).toBe(201);
});

async function productsAtProcessor({ control }: Catalog): Promise<string[]> {
  const { objects } = await control.ledger();
  return objects.map(({ id }) => id).filter(id => id.startsWith('prod_'));
}

/** A process that ends just before or just after the processor does what it was asked, and says nothing more. */
async function dieWhileCreating(catalog: Catalog, when: 'before' | 'after'): Promise<void> {
  const { em, scope, processor } = catalog;
  const died = new Error('the process died');
  const dying = {
    of: async () => ({
      ...processor,
      createProduct: async (...asked: Parameters<typeof processor.createProduct>) => {
        if (when === 'after') await processor.createProduct(...asked);
        throw died;
      },
    }),
  };
  const journal = openCatalogJournal({ em, processors: dying, logger: catalog.logger });
  await expect(createProduct(em, journal)(scope, { name: 'Pro', metadata: {} }, null)).rejects.toBe(died);
  // A dead process does not let go of its claim: it runs out.
  await em.fork().execute(`update pending_writes set claimed_until = now() - interval '1 second', due_at = now()`);
}

async function expectOneProductAfterResume(catalog: Catalog): Promise<void> {
  expect((await catalog.call('GET', '/products?activeOnly=false')).body.products).toEqual([]);
  const [write] = await catalog.em.fork().execute<{ id: string }[]>('select id from pending_writes');
  await Promise.all([...(await catalog.journal.resumeDue(10)), ...(await catalog.journal.resumeDue(10))]);
  const { products } = (await catalog.call('GET', '/products')).body;
  expect(products).toMatchObject([{ name: 'Pro' }]);
  expect(await productsAtProcessor(catalog)).toEqual([products[0].processorProductId]);
  const { objects } = await catalog.control.ledger();
  const product = objects.find(({ id }) => id === products[0].processorProductId);
  expect(product?.idempotencyKey).toBe(idempotencyKey('create-product', write?.id ?? ''));
  expect(await catalog.heard(ProductCreated)).toHaveLength(1);
}

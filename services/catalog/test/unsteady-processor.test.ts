import { randomUUID } from 'node:crypto';
import { startTestService } from '@billing/service/testing/start-test-service';
import { expect, it } from 'vitest';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { ProductCreated, ProductDeleted, ProductUpdated } from '@billing/contracts/events/catalog';
import { ProductId } from '@billing/contracts/ids';
import { productCreate } from '@billing/contracts/resources/product';
import type { FaultRequest } from '@billing/local-processor/control';
import { idempotencyKey } from '@billing/processor/idempotency-key';
import { derivedId } from '@billing/service/derived-id';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { waitFor } from '@billing/testing/wait-for';
import { openCatalogOperationLog } from '../src/operations/open-operation-log.ts';
import { createProduct } from '../src/operations/create-product.ts';
import { catalogService } from '../src/service.ts';
import { startCatalog, type Catalog } from './start-catalog.ts';

const PRO = productCreate.parse({ name: 'Pro' });
const CREATE = { method: 'POST', path: '/v1/products' } as const;

it.concurrent.each<FaultRequest['mode']>(['429', '500', '502html', 'dropped', 'done-but-response-lost'])(
  'creates one product although a call fails by %s',
  async mode => {
    await using catalog = await startCatalog();
    await catalog.control.fail({ ...CREATE, mode, kept: false });
    const created = await catalog.call('POST', '/products', { body: { name: 'Pro' } });
    expect(created.status).toBe(201);
    expect(await productsAtProcessor(catalog)).toEqual([created.body.product.processorProductId]);
    expect(await catalog.openOperations()).toEqual([]);
  },
);

it.concurrent.each<FaultRequest['mode']>(['500', '500-but-done', '502html'])(
  'creates one product that is done although every response is %s',
  async mode => {
    await using catalog = await startCatalog();
    await catalog.control.fail({ ...CREATE, mode: 'done-but-response-lost' });
    await catalog.control.fail({ ...CREATE, mode, times: 20 });
    const created = await catalog.call('POST', '/products', { body: { name: 'Pro' } });
    expect(created.status).toBe(201);
    expect(await productsAtProcessor(catalog)).toEqual([created.body.product.processorProductId]);
    expect(await catalog.openOperations()).toEqual([]);
  },
);

it.concurrent.each<FaultRequest['mode']>(['500', '502html'])(
  'leaves nothing behind when the processor keeps failing by %s',
  async mode => {
    await using catalog = await startCatalog();
    await catalog.control.fail({ ...CREATE, mode, times: 20 });
    const failed = await catalog.call('POST', '/products', { body: { name: 'Pro' } });
    expect(failed).toMatchObject({ status: 502, body: { error: { code: 'processor_error' } } });
    expect(failed.text).not.toContain('sk_test_');
    expect(await catalog.openOperations()).toEqual([]);
    expect(await catalog.em.fork().execute('select 1 from products')).toEqual([]);
    await catalog.control.clearFaults();
    expect((await catalog.call('POST', '/products', { body: { name: 'Pro' } })).status).toBe(201);
    expect(await productsAtProcessor(catalog)).toHaveLength(1);
  },
);

it.concurrent.each<[string, FaultRequest[]]>([
  ['responds with 429', [{ ...CREATE, mode: '429', times: 20 }]],
  ['does not respond', [{ ...CREATE, mode: 'dropped', times: 20 }]],
  [
    'does the work and its responses are lost',
    [
      { ...CREATE, mode: 'done-but-response-lost' },
      { ...CREATE, mode: 'dropped', times: 20 },
    ],
  ],
])('creates one product later when the processor %s', async (_what, faults) => {
  await using catalog = await startCatalog();
  for (const fault of faults) await catalog.control.fail(fault);
  const failed = await catalog.call('POST', '/products', { body: { name: 'Pro' } });
  expect(failed).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  expect(failed.headers['retry-after']).toMatch(/^\d+$/);
  expect((await catalog.call('GET', '/products?activeOnly=false')).body.products).toEqual([]);
  expect(await catalog.published(ProductCreated)).toEqual([]);

  await catalog.control.clearFaults();
  await using copy = await startTestService(catalogService(), { besides: catalog });
  await Promise.all([catalog.run(), copy.run()]);
  const [product] = await waitFor(
    async () => {
      const { products } = (await catalog.call('GET', '/products')).body;
      return products.length > 0 && products;
    },
    { what: 'the product' },
  );
  expect(product).toMatchObject({ name: 'Pro' });
  expect(await productsAtProcessor(catalog)).toEqual([product.processorProductId]);
  expect(await catalog.published(ProductCreated)).toHaveLength(1);
  expect(await catalog.openOperations()).toEqual([]);
});

it.concurrent('returns the same product for the same Idempotency-Key, finished or not', async () => {
  await using catalog = await startCatalog();
  const request = { body: { name: 'Pro' }, headers: { 'idempotency-key': 'k1' } };
  await catalog.control.fail({ ...CREATE, mode: 'done-but-response-lost' });
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
  expect(await catalog.published(ProductCreated)).toHaveLength(1);
});

it.concurrent.each(['before', 'after'] as const)(
  'finishes a creation that died %s the call when the same operation key comes again',
  async when => {
    await using catalog = await startCatalog();
    const operationKey = randomUUID();
    await dieWhileCreating(catalog, when, operationKey);
    const create = createProduct(catalog);
    const { id, processorId } = await create(catalog.scope, PRO, testAuditContext(), operationKey);
    expect(id).toBe(derivedId(ProductId, operationKey, 'product'));
    expect(await create(catalog.scope, PRO, testAuditContext(), operationKey)).toMatchObject({
      id,
      processorId,
    });
    expect(await productsAtProcessor(catalog)).toEqual([processorId]);
    expect(await catalog.published(ProductCreated)).toHaveLength(1);
    expect(await catalog.published(AuditRecorded)).toMatchObject([{ data: { target: { type: 'product', id } } }]);
  },
);

it.concurrent('sends a repeated operation key under the next version after a refusal', async () => {
  await using catalog = await startCatalog();
  const create = createProduct(catalog);
  const operationKey = randomUUID();
  await catalog.control.fail({ ...CREATE, mode: '500' });
  await expect(create(catalog.scope, PRO, testAuditContext(), operationKey)).rejects.toMatchObject({
    code: 'processor_error',
  });
  expect(await catalog.openOperations()).toEqual([]);
  const { id, processorId } = await create(catalog.scope, PRO, testAuditContext(), operationKey);
  expect(id).toBe(derivedId(ProductId, operationKey, 'product'));
  const { objects } = await catalog.control.ledger();
  expect(objects.find(object => object.id === processorId)?.idempotencyKey).toBe(
    idempotencyKey('create-product', operationKey, 2),
  );
});

it.concurrent('finishes a change whose response was lost before the next one', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct({ name: 'v0' });
  await catalog.control.fail({ method: 'POST', path: '/v1/products/', mode: 'done-but-response-lost' });
  await catalog.control.fail({ method: 'POST', path: '/v1/products/', mode: 'dropped', times: 20 });
  expect((await catalog.call('PATCH', `/products/${id}`, { body: { name: 'v1' } })).status).toBe(503);
  await catalog.control.clearFaults();
  const changed = await catalog.call('PATCH', `/products/${id}`, { body: { description: 'new' } });
  expect(changed.body.product).toMatchObject({ name: 'v1', description: 'new' });
  expect(await catalog.processor.findProduct(processorProductId)).toMatchObject({ name: 'v1', description: 'new' });
  expect((await catalog.published(ProductUpdated)).map(({ data }) => data.version)).toEqual([2, 3]);
});

it.concurrent('changes nothing when the processor refuses a change', async () => {
  await using catalog = await startCatalog();
  const product = await catalog.createProduct({ name: 'v0' });
  await catalog.dashboard.products.del(product.processorProductId);
  expect(await catalog.call('PATCH', `/products/${product.id}`, { body: { name: 'v1' } })).toMatchObject({
    status: 404,
    body: { error: { code: 'product_not_found', details: { code: 'resource_missing' } } },
  });
  expect((await catalog.call('GET', `/products/${product.id}`)).body).toEqual(product);
  expect(await catalog.openOperations()).toEqual([]);
  expect((await catalog.call('DELETE', `/products/${product.id}`)).status).toBe(200);
});

it.concurrent('finishes a deletion whose response was lost', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct();
  await catalog.control.fail({ method: 'POST', path: '/v1/products/', mode: 'done-but-response-lost' });
  await catalog.control.fail({ method: 'POST', path: '/v1/products/', mode: 'dropped', times: 20 });
  expect((await catalog.call('DELETE', `/products/${id}`)).status).toBe(503);
  await catalog.control.clearFaults();
  await catalog.run();
  await waitFor(async () => (await catalog.call('GET', `/products/${id}`)).status === 404, { what: 'the deletion' });
  expect((await catalog.processor.findProduct(processorProductId)).isActive).toBe(false);
  expect(await catalog.published(ProductDeleted)).toHaveLength(1);
});

it.concurrent('opens no transaction while it calls the processor', async () => {
  await using catalog = await startCatalog();
  await catalog.control.fail({ ...CREATE, mode: 'held' });
  const creating = catalog.call('POST', '/products', { body: { name: 'Slow' } });
  await waitFor(async () => (await catalog.openOperations()).length > 0, { what: 'the operation to be logged' });
  const open = await catalog.em
    .fork()
    .execute(
      `select query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
    );
  expect(open).toEqual([]);
  expect((await catalog.call('GET', '/products')).body.products).toEqual([]);
  await catalog.control.clearFaults();
  expect((await creating).status).toBe(201);
});

async function productsAtProcessor({ control }: Catalog): Promise<string[]> {
  const { objects } = await control.ledger();
  return objects.map(({ id }) => id).filter(id => id.startsWith('prod_'));
}

/** A process that dies just before or just after the processor does the work. */
async function dieWhileCreating(catalog: Catalog, when: 'before' | 'after', operationKey: string): Promise<void> {
  const { outbox, scope, processor, logger, now } = catalog;
  const died = new Error('the process died');
  const dying = {
    of: async () => ({
      ...processor,
      createProduct: async (...args: Parameters<typeof processor.createProduct>) => {
        if (when === 'after') await processor.createProduct(...args);
        throw died;
      },
    }),
  };
  const operationLog = openCatalogOperationLog({ outbox, processors: dying, logger, now });
  const create = createProduct({ operationLog, now });
  await expect(create(scope, PRO, testAuditContext(), operationKey)).rejects.toBe(died);
  // A dead process does not release its lease: the lease ends.
  await catalog.endLeases();
}

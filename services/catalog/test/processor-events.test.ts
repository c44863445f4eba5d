import { toDelivery } from '@billing/messaging/bus';
import { receiverOf } from '@billing/messaging/consumer/consume';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PriceUpdated, ProductCreated, ProductDeleted, ProductUpdated } from '@billing/contracts/events/catalog';
import { ProcessorEventCompleted } from '@billing/contracts/processor-events';
import { completionsIn } from '@billing/testing/processor-events';
import { testAuditContext } from '@billing/service/testing/audit-context';
import { waitFor } from '@billing/testing/wait-for';
import { productEvents } from '../src/consumers/products.ts';
import { openCatalogOperationLog } from '../src/operations/open-operation-log.ts';
import { updateProduct } from '../src/operations/update-record.ts';
import { startCatalog, type Catalog } from './start-catalog.ts';

it('completes the events of its own changes and publishes nothing', async () => {
  await using catalog = await startCatalog();
  const { id } = await catalog.createProduct();
  await catalog.call('PATCH', `/products/${id}`, { body: { name: 'Team', metadata: { a: 'b' } } });
  const price = await catalog.createPrice(id);
  await catalog.call('PATCH', `/prices/${price.id}`, { body: { isActive: false } });
  const events = await catalog.events();
  expect(events).toHaveLength(4);
  await catalog.deliver(...events);

  const published = (await catalog.published()).filter(({ type }) => type !== ProcessorEventCompleted.name);
  expect(published).toMatchObject([
    { type: 'record.product.created.v1', data: { version: 1 } },
    { type: 'record.product.updated.v1', data: { version: 2 } },
    { type: 'record.price.created.v1', data: { version: 1 } },
    { type: 'record.price.updated.v1', data: { version: 2 } },
  ]);
  const completions = completionsIn(await catalog.published(ProcessorEventCompleted));
  expect(completions.map(({ outcome }) => outcome)).toEqual(['processed', 'processed', 'processed', 'processed']);
});

it('applies a change at the processor once, however often it is delivered', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct({
    name: 'Pro',
    description: 'Old',
    unitLabel: 'seat',
    metadata: { a: '1' },
  });
  const price = await catalog.createPrice(id);
  await inLaterSecond(catalog);
  await catalog.dashboard.products.update(processorProductId, {
    name: 'Renamed',
    description: '',
    unit_label: 'user',
    metadata: { b: '2' },
  });
  await catalog.dashboard.prices.update(price.processorPriceId, { active: false });
  const events = await catalog.events();
  for (const event of [...events, ...events]) await catalog.deliver(event);

  expect((await catalog.call('GET', `/products/${id}`)).body).toMatchObject({
    name: 'Renamed',
    unitLabel: 'user',
    metadata: { a: '1', b: '2' },
  });
  expect((await catalog.call('GET', `/products/${id}`)).body).not.toHaveProperty('description');
  expect((await catalog.call('GET', `/prices/${price.id}`)).body.isActive).toBe(false);
  expect(await catalog.published(ProductUpdated)).toMatchObject([
    { data: { name: 'Renamed', description: null, unitLabel: 'user', version: 2 } },
  ]);
  expect(await catalog.published(PriceUpdated)).toMatchObject([{ data: { isActive: false, version: 2 } }]);
  expect(completionsIn(await catalog.published(ProcessorEventCompleted))).toHaveLength(events.length);
});

it('reaches the same state in any order of delivery', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct({ name: 'v0' });
  await catalog.dashboard.products.update(processorProductId, { name: 'v1', active: false });
  await inLaterSecond(catalog);
  await catalog.dashboard.products.update(processorProductId, { name: 'v2' });
  await inLaterSecond(catalog);
  // The last two in one second: only the processor knows which of them holds.
  await catalog.dashboard.products.update(processorProductId, { name: 'v3' });
  await catalog.dashboard.products.update(processorProductId, {
    name: 'v4',
    unit_label: 'user',
    tax_code: 'txcd_10103001',
    metadata: { last: 'yes' },
  });
  const events = await catalog.events();
  const start = await catalog.em.fork().execute('select * from products');

  const order = fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 });
  await fc.assert(
    fc.asyncProperty(
      order,
      fc.integer({ min: 1, max: 8 }),
      fc.boolean(),
      async (shuffled, groupSize, awaitsWebhook) => {
        await rewind(catalog, start, awaitsWebhook);
        const groups = Map.groupBy(shuffled, (_, index) => Math.floor(index / groupSize));
        for (const group of groups.values()) await catalog.deliver(...group);
        expect((await catalog.call('GET', `/products/${id}`)).body).toMatchObject({
          name: 'v4',
          unitLabel: 'user',
          taxCode: 'txcd_10103001',
          isActive: false,
          metadata: { last: 'yes' },
        });
      },
    ),
    { numRuns: runs(12) },
  );
});

it('does not let a late event undo our own change', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct({ name: 'v0' });
  await catalog.dashboard.products.update(processorProductId, { name: 'by hand' });
  await catalog.call('PATCH', `/products/${id}`, { body: { name: 'by us' } });
  const [, byHand] = await catalog.events();
  if (!byHand) throw new Error('The processor sent no event of the change.');
  await catalog.deliver(byHand);
  expect((await catalog.call('GET', `/products/${id}`)).body.name).toBe('by us');
});

it('applies a change at the processor during our own change', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct({ name: 'v0' });
  const created = await catalog.events();
  await catalog.deliver(...created);
  await catalog.control.fail({ method: 'POST', path: '/v1/products/', mode: 'held' });
  const change = catalog.call('PATCH', `/products/${id}`, { body: { description: 'ours' } });
  await waitFor(async () => (await catalog.openOperations()).length === 1, { what: 'the operation to be logged' });
  await catalog.dashboard.products.update(processorProductId, { name: 'v1' });
  const [renamed] = await catalog.events('product.updated');
  if (!renamed) throw new Error('The processor sent no event of the change.');
  await catalog.deliver(renamed);
  await catalog.control.clearFaults();
  expect((await change).body.product).toMatchObject({ name: 'v1', description: 'ours' });
});

it('rereads when events arrive between our change and its response', async () => {
  await using catalog = await startCatalog();
  const { em, outbox, scope, processor, logger, now } = catalog;
  const { id, processorProductId } = await catalog.createProduct({ name: 'v0' });
  const overtaken = {
    ...processor,
    updateProduct: async (...args: Parameters<typeof processor.updateProduct>) => {
      const updated = await processor.updateProduct(...args);
      await inLaterSecond(catalog);
      await catalog.dashboard.products.update(processorProductId, { name: 'v1' });
      await catalog.deliver(...(await catalog.events()));
      return updated;
    },
  };
  const operationLog = openCatalogOperationLog({ outbox, processors: { of: async () => overtaken }, logger, now });
  await updateProduct({ em, outbox, operationLog, now })(scope, id, { description: 'ours' }, testAuditContext());
  expect((await catalog.call('GET', `/products/${id}`)).body).toMatchObject({ name: 'v1', description: 'ours' });
  expect(await processor.findProduct(processorProductId)).toMatchObject({ name: 'v1', description: 'ours' });
});

it('reads the processor again when the record changes in the meantime', async () => {
  await using catalog = await startCatalog();
  const { em, outbox, processor, logger, now } = catalog;
  const { id, processorProductId } = await catalog.createProduct({ name: 'v0' });
  await catalog.dashboard.products.update(processorProductId, { name: 'by hand' });
  await catalog.call('PATCH', `/products/${id}`, { body: { name: 'by us' } });
  const [, byHand] = await catalog.events();
  if (!byHand) throw new Error('The processor sent no event of the change.');
  let reads = 0;
  const overtaken = {
    ...processor,
    findProduct: async (productId: string) => {
      const found = await processor.findProduct(productId);
      reads += 1;
      if (reads > 1) return found;
      await catalog.call('PATCH', `/products/${id}`, { body: { name: 'by us again' } });
      return found;
    },
  };
  const consumer = productEvents({ em, processors: { of: async () => overtaken }, logger, now });
  expect(await receiverOf(consumer, { outbox, logger })(toDelivery(byHand, 1))).toEqual({ kind: 'ack' });
  expect((await catalog.call('GET', `/products/${id}`)).body.name).toBe('by us again');
});

it('redelivers an event about a product that is being created', async () => {
  await using catalog = await startCatalog();
  await catalog.control.fail({ method: 'POST', path: '/v1/products', mode: 'done-but-response-lost' });
  await catalog.control.fail({ method: 'POST', path: '/v1/products', mode: 'dropped', times: 20 });
  expect((await catalog.call('POST', '/products', { body: { name: 'Pro' } })).status).toBe(503);
  const [created] = await catalog.events();
  if (!created) throw new Error('The processor sent no event of the product.');
  await expect(catalog.deliver(created)).rejects.toThrow('did not acknowledge');
  await catalog.control.clearFaults();
  await catalog.endLeases();
  await catalog.reconcile();
  await catalog.deliver(created);
  expect((await catalog.call('GET', '/products')).body.products).toHaveLength(1);
  expect(await catalog.published(ProductCreated)).toHaveLength(1);
});

it('redelivers an event about a price whose product is being created', async () => {
  await using catalog = await startCatalog();
  await catalog.control.fail({ method: 'POST', path: '/v1/products', mode: 'done-but-response-lost' });
  await catalog.control.fail({ method: 'POST', path: '/v1/products', mode: 'dropped', times: 20 });
  expect((await catalog.call('POST', '/products', { body: { name: 'Pro' } })).status).toBe(503);
  await catalog.control.clearFaults();
  const { data: products } = await catalog.dashboard.products.list();
  const product = products[0]?.id ?? '';
  await catalog.dashboard.prices.create({ product, currency: 'usd', unit_amount: 2_999 });
  const ofPrice = (await catalog.events()).at(-1);
  if (!ofPrice) throw new Error('The processor sent no event of the price.');
  await expect(catalog.deliver(ofPrice)).rejects.toThrow('did not acknowledge');
  await catalog.endLeases();
  await catalog.reconcile();
  await catalog.deliver(ofPrice);
  const [known, ...others] = (await catalog.call('GET', '/products')).body.products;
  expect(others).toEqual([]);
  expect((await catalog.call('GET', '/prices')).body.prices).toMatchObject([{ productId: known.id }]);
  expect(await catalog.published(ProductCreated)).toHaveLength(1);
});

it('never revives what was deleted here', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct();
  const { id: priceId, processorPriceId } = await catalog.createPrice(id);
  await catalog.call('DELETE', `/prices/${priceId}`);
  await catalog.call('DELETE', `/products/${id}`);
  await inLaterSecond(catalog);
  await catalog.dashboard.products.update(processorProductId, { name: 'Again', active: true });
  await catalog.dashboard.prices.update(processorPriceId, { active: true });
  await catalog.dashboard.prices.create({ product: processorProductId, currency: 'usd', unit_amount: 5 });
  await catalog.deliver(...(await catalog.events()));
  expect((await catalog.call('GET', '/products?activeOnly=false')).body.products).toEqual([]);
  expect((await catalog.call('GET', '/prices?activeOnly=false')).body.prices).toEqual([]);
  expect(await catalog.published(ProductUpdated)).toEqual([]);
  expect(await catalog.published(ProductDeleted)).toHaveLength(1);
  expect(await catalog.published(PriceUpdated)).toEqual([]);
});

/** The processor's times are whole seconds: what follows is later by its clock. */
async function inLaterSecond({ control }: Catalog): Promise<void> {
  await control.advanceClock(2);
}

/** Puts the product back to what it was, and deletes the deduplication rows. */
async function rewind({ em }: Catalog, rows: Record<string, unknown>[], awaitsWebhook: boolean): Promise<void> {
  await em.fork().execute('delete from processed_events');
  for (const row of rows)
    await em
      .fork()
      .execute(
        `update products set name = ?, unit_label = ?, tax_code = null, is_active = ?, metadata = ?::jsonb, processor_updated_at = null, awaits_webhook = ?, version = version + 1 where id = ?`,
        [row['name'], row['unit_label'], row['is_active'], JSON.stringify(row['metadata']), awaitsWebhook, row['id']],
      );
}

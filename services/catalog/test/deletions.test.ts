import type { Envelope } from '@billing/contracts/event';
import { PriceDeleted, PriceUpdated, ProductDeleted, ProductUpdated } from '@billing/contracts/events/catalog';
import { ProjectId } from '@billing/contracts/ids';
import { ProcessorEventCompleted, type ProcessorEventType } from '@billing/contracts/processor-events';
import { completionsIn, deliveredAgain, routedEvent } from '@billing/testing/processor-events';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startCatalog, type Catalog } from './start-catalog.ts';

/** Stripe deletes prices only by hand, in the Dashboard: the event carries the whole price. */
function deletionOf(catalog: Catalog, type: ProcessorEventType, created: Envelope | undefined): Envelope {
  if (!created) throw new Error('The processor sent no event of the price.');
  const { object } = created.data as { object: Record<string, unknown> }; // an event of the processor carries one
  return routedEvent(catalog.scope, type, object, { createdAt: new Date(Date.now() + 5_000) });
}

it('deletes a product that was deleted at the processor, once', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct();
  await catalog.dashboard.products.del(processorProductId);
  const [deleted] = await catalog.events('product.deleted');
  if (!deleted) throw new Error('The processor sent no event of the deletion.');
  await catalog.deliver(deleted);
  await catalog.deliver(deliveredAgain(deleted));

  expect((await catalog.call('GET', `/products/${id}`)).status).toBe(404);
  expect((await catalog.call('GET', '/products?activeOnly=false')).body.products).toEqual([]);
  expect((await catalog.call('PATCH', `/products/${id}`, { body: { name: 'Again' } })).status).toBe(404);
  const { createdAt } = deleted.data as { createdAt: string }; // an event of the processor carries its time
  expect(await catalog.published(ProductDeleted)).toMatchObject([
    { data: { id, version: 2, deletedAt: new Date(createdAt) } },
  ]);
  const outcomes = completionsIn(await catalog.published(ProcessorEventCompleted)).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['processed', 'processed']);
});

it('deletes a price that was deleted at the processor, and leaves its product', async () => {
  await using catalog = await startCatalog();
  const { id } = await catalog.createProduct();
  const price = await catalog.createPrice(id);
  await catalog.deliver(deletionOf(catalog, 'price.deleted', (await catalog.events('price.created'))[0]));

  expect((await catalog.call('GET', `/prices/${price.id}`)).status).toBe(404);
  expect((await catalog.call('GET', `/products/${id}`)).status).toBe(200);
  expect(await catalog.published(PriceDeleted)).toMatchObject([{ data: { id: price.id, version: 2 } }]);
});

it('deletes what a sync found to be gone, also where its last state is unknown', async () => {
  await using catalog = await startCatalog();
  const product = await catalog.createProduct();
  const price = await catalog.createPrice(product.id);
  const gone = (type: 'product' | 'price', id: string) =>
    routedEvent(catalog.scope, `${type}.deleted`, { id, object: type, deleted: true });
  const events = [
    gone('price', price.processorPriceId),
    gone('product', product.processorProductId),
    gone('product', 'prod_unknown'),
  ];
  await catalog.deliver(...events, ...events.map(deliveredAgain));
  expect((await catalog.call('GET', `/prices/${price.id}`)).status).toBe(404);
  expect((await catalog.call('GET', `/products/${product.id}`)).status).toBe(404);
  expect(await catalog.published(PriceDeleted)).toHaveLength(1);
  expect(await catalog.published(ProductDeleted)).toHaveLength(1);
  const outcomes = completionsIn(await catalog.published(ProcessorEventCompleted)).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(Array.from({ length: 6 }, () => 'processed'));
});

it('never brings back a product or price, in whatever order their events come', async () => {
  await using catalog = await startCatalog();
  const { dashboard, control } = catalog;
  const metadata = { projectId: catalog.scope.projectId };
  const product = await dashboard.products.create({ name: 'v0', metadata });
  const kept = await dashboard.products.create({ name: 'Kept', metadata });
  const price = await dashboard.prices.create({ product: kept.id, currency: 'usd', unit_amount: 5 });
  await control.advanceClock(2);
  await dashboard.products.update(product.id, { name: 'v1' });
  await dashboard.prices.update(price.id, { nickname: 'five' });
  await dashboard.products.del(product.id);
  const real = await catalog.events();
  const priceCreated = real.find(({ type }) => type === 'processor.price.created.v1');
  const events = [...real, deletionOf(catalog, 'price.deleted', priceCreated)];
  const order = fc.shuffledSubarray([...events, ...events.map(deliveredAgain)], { minLength: events.length * 2 });

  await fc.assert(
    fc.asyncProperty(order, fc.integer({ min: 1, max: 8 }), async (shuffled, groupSize) => {
      for (const table of ['prices', 'products', 'processed_events'])
        await catalog.em.fork().execute(`delete from ${table}`);
      const groups = Map.groupBy(shuffled, (_, index) => Math.floor(index / groupSize));
      for (const group of groups.values()) await catalog.deliver(...group);
      const { body } = await catalog.call('GET', '/products?activeOnly=false');
      expect(body.products).toMatchObject([{ processorProductId: kept.id }]);
      expect((await catalog.call('GET', '/prices?activeOnly=false')).body.prices).toEqual([]);
    }),
    { numRuns: runs(12) },
  );
  // Nothing newer than a deletion is published for those who keep copies.
  const products = await catalog.published(ProductUpdated);
  for (const { data } of await catalog.published(ProductDeleted))
    expect(products.filter(({ data: other }) => other.id === data.id && other.version > data.version)).toEqual([]);
  const prices = await catalog.published(PriceUpdated);
  for (const { data } of await catalog.published(PriceDeleted))
    expect(prices.filter(({ data: other }) => other.id === data.id && other.version > data.version)).toEqual([]);
});

it('ignores the deletion of a product of another project', async () => {
  await using catalog = await startCatalog();
  const product = await catalog.dashboard.products.create({
    name: 'Other',
    metadata: { projectId: ProjectId.create() },
  });
  await catalog.dashboard.products.del(product.id);
  await catalog.deliver(...(await catalog.events('product.deleted')));
  expect(await catalog.published(ProductDeleted)).toEqual([]);
  expect(await catalog.em.fork().execute('select 1 from products')).toEqual([]);
});

it('completes a contradicting event of a product that the processor has deleted meanwhile', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct({ name: 'v0' });
  await catalog.dashboard.products.update(processorProductId, { name: 'by hand' });
  await catalog.call('PATCH', `/products/${id}`, { body: { name: 'by us' } });
  await catalog.dashboard.products.del(processorProductId);
  await catalog.deliver(...(await catalog.events('product.updated')));
  const outcomes = completionsIn(await catalog.published(ProcessorEventCompleted)).map(({ outcome }) => outcome);
  expect(new Set(outcomes)).toEqual(new Set(['processed']));
});

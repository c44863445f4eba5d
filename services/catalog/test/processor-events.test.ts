import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  PriceCreated,
  PriceUpdated,
  ProductCreated,
  ProductDeleted,
  ProductUpdated,
} from '@billing/contracts/events/catalog';
import type { Envelope } from '@billing/contracts/event';
import { ProjectId } from '@billing/contracts/ids';
import { isHandled, PROCESSOR_EVENT_OWNERS, ProcessorEventCompleted } from '@billing/contracts/processor-events';
import { processorFact, completionsIn } from '@billing/testing/processor-events';
import { waitFor } from '@billing/testing/wait-for';
import { openCatalogJournal } from '../src/operations/open-journal.ts';
import { updateProduct } from '../src/operations/update-product.ts';
import { startCatalog, statesIn, type Catalog } from './harness.ts';

it('publishes nothing about the echo of its own changes, and settles it', async () => {
  await using catalog = await startCatalog();
  const { id } = await catalog.createProduct();
  await catalog.call('PATCH', `/products/${id}`, { body: { name: 'Team', metadata: { a: 'b' } } });
  const price = await catalog.createPrice(id);
  await catalog.call('PATCH', `/prices/${price.id}`, { body: { isActive: false } });
  const events = await catalog.events();
  expect(events).toHaveLength(4);
  for (const event of events) expect(await catalog.receive(event)).toEqual({ kind: 'done' });

  expect(statesIn(await catalog.heard(ProductCreated, ProductUpdated))).toMatchObject([{ version: 1 }, { version: 2 }]);
  expect(statesIn(await catalog.heard(PriceCreated, PriceUpdated))).toMatchObject([{ version: 1 }, { version: 2 }]);
  const settled = completionsIn(await catalog.heard(ProcessorEventCompleted));
  expect(settled.map(({ outcome }) => outcome)).toEqual(['processed', 'processed', 'processed', 'processed']);
});

it('takes over what was changed at the processor, once however often it is told', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct({
    name: 'Pro',
    description: 'Old',
    metadata: { a: '1' },
  });
  const price = await catalog.createPrice(id);
  await inLaterSecond(catalog);
  await catalog.dashboard.products.update(processorProductId, {
    name: 'Renamed',
    description: '',
    metadata: { b: '2' },
  });
  await catalog.dashboard.prices.update(price.processorPriceId, { active: false });
  const events = await catalog.events();
  for (const event of [...events, ...events]) await catalog.receive(event);

  expect((await catalog.call('GET', `/products/${id}`)).body).toMatchObject({
    name: 'Renamed',
    metadata: { a: '1', b: '2' },
  });
  expect((await catalog.call('GET', `/products/${id}`)).body).not.toHaveProperty('description');
  expect((await catalog.call('GET', `/prices/${price.id}`)).body.isActive).toBe(false);
  expect(statesIn(await catalog.heard(ProductUpdated))).toMatchObject([{ name: 'Renamed', version: 2 }]);
  expect(statesIn(await catalog.heard(PriceUpdated))).toMatchObject([{ isActive: false, version: 2 }]);
  expect(await catalog.heard(ProcessorEventCompleted)).toHaveLength(events.length);
});

it('hears events over the bus', async () => {
  await using catalog = await startCatalog();
  const stops = [
    await catalog.bus.consume('products', 'processor.product.*.v1', catalog.products.receive),
    await catalog.bus.consume('prices', 'processor.price.*.v1', catalog.prices.receive),
  ];
  await makeInDashboard(catalog);
  for (const event of await catalog.events()) await catalog.bus.publish(event.type, wireOf(event), event.id, {});
  const prices = await waitFor(
    async () => {
      const found = (await catalog.call('GET', '/prices')).body.prices;
      return found.length > 0 && found;
    },
    { what: 'the price' },
  );
  expect(prices).toMatchObject([{ unitAmount: 900 }]);
  await Promise.all(stops.map(stop => stop()));
});

it('mirrors a product and its prices that were made at the processor for this project', async () => {
  await using catalog = await startCatalog();
  await makeInDashboard(catalog);
  for (const event of await catalog.events()) await catalog.receive(event);
  const { products } = (await catalog.call('GET', '/products')).body;
  expect(products).toMatchObject([{ name: 'Made by hand', metadata: { origin: 'dashboard' } }]);
  expect((await catalog.call('GET', `/prices?productId=${products[0].id}`)).body.prices).toMatchObject([
    { unitAmount: 900, currency: 'usd', type: 'recurring', interval: 'week', intervalCount: 2 },
  ]);
  expect(await catalog.heard(ProductCreated)).toHaveLength(1);
  expect(await catalog.heard(PriceCreated)).toHaveLength(1);
});

it('mirrors a price that comes before its product, with the product', async () => {
  await using catalog = await startCatalog();
  await makeInDashboard(catalog);
  for (const event of (await catalog.events()).toReversed()) await catalog.receive(event);
  expect((await catalog.call('GET', '/products')).body.products).toMatchObject([{ name: 'Made by hand' }]);
  expect((await catalog.call('GET', '/prices')).body.prices).toHaveLength(1);
  expect(await catalog.heard(ProductCreated)).toHaveLength(1);
});

it('keeps prices without a single amount for other services and does not list them', async () => {
  await using catalog = await startCatalog();
  const { processorProductId } = await catalog.createProduct();
  await catalog.dashboard.prices.create({ product: processorProductId, currency: 'usd', unit_amount: 5 });
  const [event] = await catalog.events('price.created');
  if (!event) throw new Error('The processor told of no price.');
  const data = event.data as { object: object };
  await catalog.receive({ ...event, data: { ...data, object: { ...data.object, unit_amount: null } } });
  expect((await catalog.call('GET', '/prices?activeOnly=false')).body.prices).toEqual([]);
  expect(statesIn(await catalog.heard(PriceCreated))).toMatchObject([{ unitAmount: null }]);
});

it.each([
  ['product.updated', { name: 7 }, 'name'],
  ['price.created', { currency: null }, 'currency'],
  ['price.updated', { product: [] }, 'product'],
] as const)('sets a %s whose object cannot be read aside at once, as failed', async (type, wrong, field) => {
  await using catalog = await startCatalog();
  const { id } = await catalog.createProduct();
  await catalog.createPrice(id);
  const [like] = await catalog.events(type.startsWith('product') ? 'product.created' : 'price.created');
  if (!like) throw new Error('The processor told of nothing.');
  const { object } = like.data as { object: object }; // a fact of the processor carries one
  const event = processorFact(catalog.scope, type, { ...object, ...wrong });

  expect(await catalog.receive(event)).toEqual({ kind: 'done' });
  const error = expect.stringMatching(new RegExp(`^The event's object cannot be read: ${field}: `));
  const settled = completionsIn(await catalog.heard(ProcessorEventCompleted));
  expect(settled).toMatchObject([{ outcome: 'failed', attempts: 1, error }]);
  const setAside = await catalog.em.fork().execute('select attempts, error, set_aside_at from dead_letters');
  expect(setAside).toMatchObject([{ attempts: 1, error, set_aside_at: expect.anything() }]);
});

it('lets products of other projects pass', async () => {
  await using catalog = await startCatalog();
  const metadata = { projectId: ProjectId.create() };
  const product = await catalog.dashboard.products.create({ name: 'Theirs', metadata });
  await catalog.dashboard.prices.create({ product: product.id, currency: 'usd', unit_amount: 5 });
  for (const event of await catalog.events()) expect(await catalog.receive(event)).toEqual({ kind: 'done' });
  expect((await catalog.call('GET', '/products')).body.products).toEqual([]);
  expect((await catalog.call('GET', '/prices')).body.prices).toEqual([]);
  expect(completionsIn(await catalog.heard(ProcessorEventCompleted))).toMatchObject([
    { outcome: 'processed' },
    { outcome: 'processed' },
  ]);
});

it('ends the same in whatever order events come, and however often', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct({ name: 'v0' });
  await catalog.dashboard.products.update(processorProductId, { name: 'v1', active: false });
  await inLaterSecond(catalog);
  await catalog.dashboard.products.update(processorProductId, { name: 'v2' });
  await inLaterSecond(catalog);
  // The last two within one second: only the processor can tell which of them holds.
  await catalog.dashboard.products.update(processorProductId, { name: 'v3' });
  await catalog.dashboard.products.update(processorProductId, { name: 'v4', metadata: { last: 'yes' } });
  const events = await catalog.events();
  const start = await catalog.em.fork().execute('select * from products');

  const order = fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 });
  await fc.assert(
    fc.asyncProperty(order, fc.boolean(), async (shuffled, awaitsEcho) => {
      await rewind(catalog, start, awaitsEcho);
      for (const event of shuffled) expect(await catalog.receive(event)).toEqual({ kind: 'done' });
      expect((await catalog.call('GET', `/products/${id}`)).body).toMatchObject({
        name: 'v4',
        isActive: false,
        metadata: { last: 'yes' },
      });
    }),
    { numRuns: 12 },
  );
});

it('does not let a late event undo a change of its own', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct({ name: 'v0' });
  await catalog.dashboard.products.update(processorProductId, { name: 'by hand' });
  await catalog.call('PATCH', `/products/${id}`, { body: { name: 'by us' } });
  const [, byHand] = await catalog.events();
  if (!byHand) throw new Error('The processor told of no change.');
  await catalog.receive(byHand);
  expect((await catalog.call('GET', `/products/${id}`)).body.name).toBe('by us');
});

it('takes over a change at the processor that comes while its own is under way', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct({ name: 'v0' });
  const created = await catalog.events();
  for (const event of created) await catalog.receive(event);
  await catalog.control.fail({ method: 'POST', path: '/v1/products/', mode: 'slow', delayMs: 600 });
  const change = catalog.call('PATCH', `/products/${id}`, { body: { description: 'ours' } });
  await waitFor(async () => (await catalog.pendingWrites()).length === 1, { what: 'the change to be on record' });
  await catalog.dashboard.products.update(processorProductId, { name: 'v1' });
  const [renamed] = await catalog.events('product.updated');
  if (!renamed) throw new Error('The processor told of no change.');
  expect(await catalog.receive(renamed)).toEqual({ kind: 'done' });
  expect((await change).body.product).toMatchObject({ name: 'v1', description: 'ours' });
});

it('asks again when events come in between a change of its own and the processor’s answer', async () => {
  await using catalog = await startCatalog();
  const { em, scope, processor, logger } = catalog;
  const { id, processorProductId } = await catalog.createProduct({ name: 'v0' });
  const overtaken = {
    ...processor,
    updateProduct: async (...asked: Parameters<typeof processor.updateProduct>) => {
      const answer = await processor.updateProduct(...asked);
      await inLaterSecond(catalog);
      await catalog.dashboard.products.update(processorProductId, { name: 'v1' });
      for (const event of await catalog.events()) await catalog.receive(event);
      return answer;
    },
  };
  const journal = openCatalogJournal({ em, processors: { of: async () => overtaken }, logger });
  await updateProduct(em, journal)(scope, id, { description: 'ours' });
  expect((await catalog.call('GET', `/products/${id}`)).body).toMatchObject({ name: 'v1', description: 'ours' });
  expect(await processor.findProduct(processorProductId)).toMatchObject({ name: 'v1', description: 'ours' });
});

it('waits with an event about a product that is just being created', async () => {
  await using catalog = await startCatalog();
  await catalog.control.fail({ method: 'POST', path: '/v1/products', mode: 'done-but-answer-lost' });
  await catalog.control.fail({ method: 'POST', path: '/v1/products', mode: 'dropped', times: 20 });
  expect((await catalog.call('POST', '/products', { body: { name: 'Pro' } })).status).toBe(503);
  const [created] = await catalog.events();
  if (!created) throw new Error('The processor told of no product.');
  expect(await catalog.receive(created)).toMatchObject({ kind: 'again' });
  await catalog.control.clearFaults();
  catalog.startReconciler();
  await waitFor(async () => (await catalog.pendingWrites()).length === 0, { what: 'the product to be finished' });
  expect(await catalog.receive(created)).toEqual({ kind: 'done' });
  expect((await catalog.call('GET', '/products')).body.products).toHaveLength(1);
  expect(await catalog.heard(ProductCreated)).toHaveLength(1);
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
  for (const event of await catalog.events()) expect(await catalog.receive(event)).toEqual({ kind: 'done' });
  expect((await catalog.call('GET', '/products?activeOnly=false')).body.products).toEqual([]);
  expect((await catalog.call('GET', '/prices?activeOnly=false')).body.prices).toEqual([]);
  const facts = await catalog.heard(ProductUpdated, ProductDeleted, PriceUpdated);
  expect(facts.map(({ type }) => type)).toEqual(['product.deleted.v1']);
});

async function makeInDashboard({ dashboard, scope: { projectId } }: Catalog): Promise<void> {
  const metadata = { projectId, origin: 'dashboard' };
  const product = await dashboard.products.create({ name: 'Made by hand', metadata });
  const recurring = { interval: 'week', interval_count: 2 } as const;
  await dashboard.prices.create({ product: product.id, currency: 'usd', unit_amount: 900, recurring });
}

/** The processor's times are whole seconds: what follows is later by its clock. */
async function inLaterSecond({ control }: Catalog): Promise<void> {
  await control.advanceClock(2);
}

/** Puts the product back to what it was, and forgets which events were handled. */
async function rewind({ em }: Catalog, rows: Record<string, unknown>[], awaitsEcho: boolean): Promise<void> {
  await em.fork().execute('delete from processed_events');
  for (const row of rows)
    await em
      .fork()
      .execute(
        `update products set name = ?, is_active = ?, metadata = ?::jsonb, processor_updated_at = null, awaits_echo = ?, version = version + 1 where id = ?`,
        [row['name'], row['is_active'], JSON.stringify(row['metadata']), awaitsEcho, row['id']],
      );
}

function wireOf(event: Envelope): string {
  return JSON.stringify({ ...event, occurredAt: event.occurredAt.toISOString() });
}

it('settles every type of event that it owns, once, and no other', async () => {
  await using catalog = await startCatalog();
  const types = Object.keys(PROCESSOR_EVENT_OWNERS).filter(isHandled);
  const idOf = (type: string) => `evt_${type.replaceAll('.', '_')}`;
  for (const type of types) {
    // An object that cannot be read is settled at once.
    const event = processorFact(catalog.scope, type, {}, { eventId: idOf(type) });
    for (const inbox of [catalog.products, catalog.prices])
      expect(await inbox.receive(event, 1)).toEqual({ kind: 'done' });
  }
  const settled = completionsIn(await catalog.heard(ProcessorEventCompleted)).map(({ eventId }) => eventId);
  const owned = types.filter(type => PROCESSOR_EVENT_OWNERS[type] === 'catalog');
  expect(settled.toSorted()).toEqual(owned.map(idOf).toSorted());
});

import {
  isHandled,
  PROCESSOR_EVENT_OWNERS,
  ProcessorEventCompleted,
  type ProcessorEventType,
} from '@billing/contracts/processor-events';
import { completionsIn, routedEvent } from '@billing/testing/processor-events';
import { expect, it } from 'vitest';
import { startCatalog } from './start-catalog.ts';

it('completes every event type that it owns, and no other', async () => {
  await using catalog = await startCatalog();
  const isOwned = (type: ProcessorEventType) => PROCESSOR_EVENT_OWNERS[type] === 'catalog';
  // An event whose object cannot be read is completed at once.
  const idOf = (type: string) => `evt_${type.replaceAll('.', '_')}`;
  const eventOf = (type: ProcessorEventType) => routedEvent(catalog.scope, type, {}, { eventId: idOf(type) });
  const types = Object.keys(PROCESSOR_EVENT_OWNERS).filter(isHandled);
  const owned = types.filter(isOwned);
  for (const type of types.filter(other => !isOwned(other)))
    await expect(catalog.deliver(eventOf(type))).rejects.toThrow('No consumer of catalog');
  await catalog.deliver(...owned.map(eventOf));
  const completions = completionsIn(await catalog.published(ProcessorEventCompleted));
  expect(completions.map(({ eventId }) => eventId).toSorted()).toEqual(owned.map(idOf).toSorted());
});

it.each([
  ['product.updated', { name: 7 }, 'name'],
  ['price.created', { currency: null }, 'currency'],
  ['price.updated', { product: [] }, 'product'],
] as const)(
  'dead-letters a %s whose object neither the event nor the processor has, as failed',
  async (type, wrong, field) => {
    await using catalog = await startCatalog();
    const { id } = await catalog.createProduct();
    await catalog.createPrice(id);
    const [like] = await catalog.events(type.startsWith('product') ? 'product.created' : 'price.created');
    if (!like) throw new Error('The processor sent no event.');
    const { object } = like.data as { object: object }; // an event of the processor carries one
    const event = routedEvent(catalog.scope, type, { ...object, id: 'gone_1', ...wrong });

    await catalog.deliver(event);
    const error = expect.stringMatching(new RegExp(`^The event's object cannot be read: ${field}: `));
    const completions = completionsIn(await catalog.published(ProcessorEventCompleted));
    expect(completions).toMatchObject([{ outcome: 'failed', attempts: 1, error }]);
    const deadLetters = await catalog.em.fork().execute('select attempts, error, dead_lettered_at from dead_letters');
    expect(deadLetters).toMatchObject([{ attempts: 1, error, dead_lettered_at: expect.anything() }]);
  },
);

it('reads an object again whose shape in the event is unknown', async () => {
  await using catalog = await startCatalog();
  const { id, processorProductId } = await catalog.createProduct({ name: 'v0' });
  const price = await catalog.createPrice(id);
  await catalog.dashboard.products.update(processorProductId, { name: 'v1' });
  const inAnHour = new Date(Date.now() + 3_600_000);
  // As a version of before 2018 has them: a plan instead of a price, and no `active`.
  const old = { createdAt: inAnHour, apiVersion: '2017-06-05' };
  await catalog.deliver(
    routedEvent(catalog.scope, 'product.updated', { id: processorProductId, name: 'v1' }, old),
    routedEvent(catalog.scope, 'price.updated', { id: price.processorPriceId, amount: 2_999 }, old),
  );
  expect((await catalog.call('GET', `/products/${id}`)).body.name).toBe('v1');
  const completions = completionsIn(await catalog.published(ProcessorEventCompleted));
  expect(completions).toMatchObject([{ outcome: 'processed' }, { outcome: 'processed' }]);
  expect(await catalog.em.fork().execute('select 1 from dead_letters')).toEqual([]);
});

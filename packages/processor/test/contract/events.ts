import { expect, it } from 'vitest';
import { z } from 'zod';
import type { EventFilter, EventPage, Processor } from '../../src/port.ts';
import type { Cases } from './cases.ts';

/** Tests the list of events. */
export function eventCases({ paidIt, processor, key, createCustomer, subscribe }: Cases): void {
  paidIt('contain everything that a checkout created, newest first', async () => {
    const createdFrom = new Date(Math.floor(Date.now() / 1_000) * 1_000);
    const { customer, subscription } = await subscribe();
    const listed = await listEveryEvent(processor(), { createdFrom });
    const types = listed.map(event => event['type']);
    const created = listed.map(event => Number(event['created']));
    expect(types).toEqual(
      expect.arrayContaining([
        'customer.created',
        'product.created',
        'price.created',
        'payment_intent.succeeded',
        'charge.succeeded',
        'invoice.paid',
        'customer.subscription.created',
        'checkout.session.completed',
      ]),
    );
    expect(created).toEqual(created.toSorted((a, b) => b - a));
    const objects = listed.map(event => JSON.stringify(event['data']));
    expect(objects.some(text => text.includes(subscription.id) && text.includes(customer.id))).toBe(true);
  });

  it('continue after a given event, and are empty for a future time', async () => {
    const createdFrom = new Date(Math.floor(Date.now() / 1_000) * 1_000);
    const { id } = await createCustomer();
    for (const name of ['Bo', 'Cy']) await processor().updateCustomer(id, { name }, key());
    const [newest, ...more] = (await processor().listEvents({ createdFrom })).events;
    const older = more.slice(0, 2);
    const startingAfter = newest?.id;
    const next = await processor().listEvents({ createdFrom, startingAfter });
    expect(next.events.slice(0, 2)).toEqual(older);
    const inAnHour = new Date(Date.now() + 3_600_000);
    expect(await processor().listEvents({ createdFrom: inAnHour })).toEqual({ events: [], hasMore: false });
  });

  it('carry objects that can be read again', async () => {
    const { id } = await createCustomer({ a: '1' });
    expect(await processor().findObject('customer', id)).toMatchObject({
      id,
      object: 'customer',
      metadata: { a: '1' },
    });
    const { subscription, price } = await subscribe();
    expect(await processor().findObject('customer.subscription', subscription.id)).toMatchObject({
      object: 'subscription',
      items: { data: [{ price: { id: price.id } }] },
    });
    expect(await processor().findObject('price', 'price_none')).toBeNull();
  });

  it('are listed in pages of a hundred, each once', async () => {
    const createdFrom = new Date(Math.floor(Date.now() / 1_000) * 1_000);
    const { id } = await createCustomer();
    const names = Array.from({ length: 104 }, (_, index) => `Ada ${index}`);
    for (const name of names) await processor().updateCustomer(id, { name }, key());
    const page = await processor().listEvents({ createdFrom });
    expect(page.events).toHaveLength(100);
    expect(page.hasMore).toBe(true);
    const listed = await listEveryEvent(processor(), { createdFrom });
    expect(new Set(listed.map(event => event.id)).size).toBe(listed.length);
    const updates = listed.flatMap(({ data }) => nameOf(data) ?? []);
    expect(updates.filter(name => names.includes(name))).toEqual(names.toReversed());
  });

  paidIt('count as delivered without a webhook endpoint', async () => {
    const createdFrom = new Date(Date.now() - 1_000);
    await subscribe();
    expect(await listEveryEvent(processor(), { createdFrom, undeliveredOnly: true })).toEqual([]);
  });
}

/** Returns the name of the object that an event carries. */
function nameOf(data: unknown): string | undefined {
  return z.object({ object: z.object({ name: z.string() }) }).safeParse(data).data?.object.name;
}

/** Lists all events that match a filter, newest first, over all pages. */
async function listEveryEvent(processor: Processor, filter: EventFilter): Promise<EventPage['events']> {
  const found: EventPage['events'][number][] = [];
  for (;;) {
    const { events, hasMore } = await processor.listEvents({ ...filter, startingAfter: found.at(-1)?.id });
    found.push(...events);
    if (!hasMore || events.length === 0) return found;
  }
}

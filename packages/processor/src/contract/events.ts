import { expect, it } from 'vitest';
import { z } from 'zod';
import { listEveryEvent } from '../every-event.ts';
import type { Cases } from './cases.ts';

/** What the list of events must tell. */
export function eventCases({ processor, key, createCustomer, subscribe }: Cases): void {
  it('tell of everything that a checkout made, the newest first', async () => {
    const createdFrom = new Date(Math.floor(Date.now() / 1_000) * 1_000);
    const { customer, subscription } = await subscribe();
    const told = await listEveryEvent(processor(), { createdFrom });
    const types = told.map(event => event['type']);
    const created = told.map(event => Number(event['created']));
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
    const objects = told.map(event => JSON.stringify(event['data']));
    expect(objects.some(text => text.includes(subscription.id) && text.includes(customer.id))).toBe(true);
  });

  it('go on after the one that is named, and are none before they began', async () => {
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

  it('come a hundred at a time, each once', async () => {
    const createdFrom = new Date(Math.floor(Date.now() / 1_000) * 1_000);
    const { id } = await createCustomer();
    const names = Array.from({ length: 104 }, (_, index) => `Ada ${index}`);
    for (const name of names) await processor().updateCustomer(id, { name }, key());
    const page = await processor().listEvents({ createdFrom });
    expect(page.events).toHaveLength(100);
    expect(page.hasMore).toBe(true);
    const told = await listEveryEvent(processor(), { createdFrom });
    expect(new Set(told.map(event => event.id)).size).toBe(told.length);
    const updates = told.flatMap(({ data }) => nameOf(data) ?? []);
    expect(updates.filter(name => names.includes(name))).toEqual(names.toReversed());
  });

  it('that nobody waits for count as delivered', async () => {
    const createdFrom = new Date(Date.now() - 1_000);
    await subscribe();
    expect(await listEveryEvent(processor(), { createdFrom, undeliveredOnly: true })).toEqual([]);
  });
}

/** The name of the object that an event tells of. */
function nameOf(data: unknown): string | undefined {
  return z.object({ object: z.object({ name: z.string() }) }).safeParse(data).data?.object.name;
}

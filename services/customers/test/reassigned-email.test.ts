import fc from 'fast-check';
import type { Envelope } from '@billing/contracts/event';
import { expect, it } from 'vitest';
import { startCustomers } from './start-customers.ts';

type Customers = Awaited<ReturnType<typeof startCustomers>>;

/** Delivers again and again what has to wait, each time in the same order; a history of any length comes to its end. */
async function deliver({ receive }: Customers, events: readonly Envelope[]): Promise<void> {
  let waiting = [...events];
  for (let round = 0; waiting.length > 0; round += 1) {
    if (round > events.length) throw new Error(`${waiting.length} events wait for ever.`);
    const verdicts: [Envelope, string][] = [];
    for (const event of waiting) verdicts.push([event, (await receive(event, 1)).kind]);
    waiting = verdicts.filter(([, kind]) => kind === 'again').map(([event]) => event);
  }
}

it('gives a reassigned e-mail to its new owner in any order of delivery', async () => {
  const orders = fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 });
  await fc.assert(
    fc.asyncProperty(orders, async order => {
      await using customers = await startCustomers();
      const [ada, bob, eve] = [
        await customers.createCustomer({ email: 'ada@example.com' }),
        await customers.createCustomer({ email: 'bob@example.com' }),
        await customers.createCustomer({ email: 'eve@example.com' }),
      ];
      await customers.control.advanceClock(2);
      // Eve leaves hers, Bob takes it, and Ada takes Bob's.
      await customers.dashboard.customers.update(eve.processorCustomerId, { email: 'new@example.com' });
      await customers.dashboard.customers.update(bob.processorCustomerId, { email: 'eve@example.com' });
      await customers.dashboard.customers.update(ada.processorCustomerId, { email: 'bob@example.com' });
      const events = await customers.events(['customer.created', 'customer.updated']);
      expect(events).toHaveLength(6);
      await deliver(
        customers,
        order.flatMap(index => events[index] ?? []),
      );
      const emailOf = async (id: string) => (await customers.call('GET', `/customers/${id}`)).body.customer.email;
      expect([await emailOf(ada.id), await emailOf(bob.id), await emailOf(eve.id)]).toEqual([
        'bob@example.com',
        'eve@example.com',
        'new@example.com',
      ]);
    }),
    { numRuns: 5, endOnFailure: true },
  );
}, 180_000);

it('does not wait for an e-mail that its owner keeps', async () => {
  await using customers = await startCustomers();
  await customers.createCustomer({ email: 'bob@example.com' });
  const { id, processorCustomerId } = await customers.createCustomer();
  await customers.control.advanceClock(2);
  await customers.dashboard.customers.update(processorCustomerId, { email: 'bob@example.com' });
  for (const event of await customers.events()) expect(await customers.receive(event, 1)).toEqual({ kind: 'done' });
  expect((await customers.call('GET', `/customers/${id}`)).body.customer.email).toBe('ada@example.com');
});

import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import type { Envelope } from '@billing/contracts/event';
import { expect, it } from 'vitest';
import { startCustomers, type Customers } from './start-customers.ts';

/** Delivers events one after the other; those that are not acknowledged wait, and come again in the same order. */
async function deliverInTurn(customers: Customers, events: readonly Envelope[]): Promise<void> {
  let waiting = [...events];
  for (let round = 0; waiting.length > 0; round += 1) {
    if (round > events.length) throw new Error(`${waiting.length} events wait for ever.`);
    const unacknowledged: Envelope[] = [];
    for (const event of waiting) await customers.deliver(event).catch(() => unacknowledged.push(event));
    waiting = unacknowledged;
  }
}

it('gives a reassigned e-mail to its new owner in any order of delivery', async () => {
  const orders = fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 });
  await fc.assert(
    fc.asyncProperty(orders, fc.boolean(), async (order, together) => {
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
      const events = await customers.events('customer.created', 'customer.updated');
      expect(events).toHaveLength(6);
      const ordered = order.flatMap(index => events[index] ?? []);
      await (together ? customers.deliver(...ordered) : deliverInTurn(customers, ordered));
      const emailOf = async (id: string) => (await customers.call('GET', `/customers/${id}`)).body.customer.email;
      expect([await emailOf(ada.id), await emailOf(bob.id), await emailOf(eve.id)]).toEqual([
        'bob@example.com',
        'eve@example.com',
        'new@example.com',
      ]);
    }),
    { numRuns: runs(5), endOnFailure: true },
  );
});

it('does not wait for an e-mail that its owner keeps', async () => {
  await using customers = await startCustomers();
  await customers.createCustomer({ email: 'bob@example.com' });
  const { id, processorCustomerId } = await customers.createCustomer();
  await customers.control.advanceClock(2);
  await customers.dashboard.customers.update(processorCustomerId, { email: 'bob@example.com' });
  await customers.deliver(...(await customers.events()));
  expect((await customers.call('GET', `/customers/${id}`)).body.customer.email).toBe('ada@example.com');
});

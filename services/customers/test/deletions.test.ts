import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Envelope } from '@billing/contracts/event';
import { CustomerDeleted } from '@billing/contracts/events/customers';
import { processorEvent } from '@billing/contracts/processor-events';
import { startCustomers, type Customers } from './start-customers.ts';

const deletedAt = async (customers: Customers) => (await customers.published(CustomerDeleted)).at(-1)?.data.deletedAt;

/** When the processor says that its event happened. */
const timeOf = (event: Envelope | undefined) => processorEvent('customer.deleted').data.parse(event?.data).createdAt;

/** A customer that the processor deletes an hour from now, on its own clock. */
async function deleteAtProcessor(customers: Customers) {
  const customer = await customers.createCustomer();
  await customers.control.advanceClock(3_600);
  await customers.dashboard.customers.update(customer.processorCustomerId, { name: 'Last words' });
  await customers.dashboard.customers.del(customer.processorCustomerId);
  const at = new Date((await customers.control.clock()).now * 1_000);
  return { ...customer, deletedAt: at };
}

it('counts a deletion at the processor from the time of its event', async () => {
  await using customers = await startCustomers();
  await deleteAtProcessor(customers);
  const [deletion] = await customers.events('customer.deleted');
  await customers.deliver(...(deletion ? [deletion] : []));
  expect(await deletedAt(customers)).toEqual(timeOf(deletion));
});

it('counts a deletion from the same time in any order of events, changes and repeats', async () => {
  const scenario = fc.shuffledSubarray(['events', 'events', 'deletion', 'change'] as const, { minLength: 4 });
  await fc.assert(
    fc.asyncProperty(scenario, async steps => {
      await using customers = await startCustomers();
      const { id, processorCustomerId, createdAt } = await customers.createCustomer();
      await customers.dashboard.customers.update(processorCustomerId, { name: 'Last words' });
      await customers.dashboard.customers.del(processorCustomerId);
      const [deletion] = await customers.events('customer.deleted');
      if (!deletion) throw new Error('The processor sent no event of the deletion.');
      const later = { ...deletion, id: crypto.randomUUID() };
      for (const step of steps) {
        if (step === 'events') await customers.deliver(...(await customers.events()));
        if (step === 'deletion') await customers.deliver(later);
        if (step === 'change') await customers.call('PATCH', `/customers/${id}`, { body: { name: 'Nobody' } });
      }
      // The processor counts whole seconds, so its event may seem older than the customer.
      const time = Math.max(Number(timeOf(deletion)), Date.parse(createdAt));
      expect(await deletedAt(customers)).toEqual(new Date(time));
      expect((await customers.call('GET', `/customers/${id}`)).status).toBe(404);
    }),
    { numRuns: runs(6) },
  );
});

it('keeps the time of a deletion through the API, and never revives the customer', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer();
  expect((await customers.call('DELETE', `/customers/${id}`)).status).toBe(200);
  const at = await deletedAt(customers);
  await customers.control.advanceClock(10);
  await customers.dashboard.customers.update(processorCustomerId, { name: 'Back' });
  await customers.dashboard.customers.del(processorCustomerId);
  const events = await customers.events();
  await customers.deliver(...events.toReversed(), ...events);
  expect((await customers.call('GET', `/customers/${id}`)).status).toBe(404);
  expect(await deletedAt(customers)).toEqual(at);
});

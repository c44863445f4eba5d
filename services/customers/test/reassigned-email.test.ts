import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startCustomers, type Customers } from './start-customers.ts';

const NAMES = ['ada', 'bob', 'eve', 'kim'];
const addressOf = (name: string | undefined) => `${name}@example.com`;

/** Creates a customer for each name, with its address. */
async function createAll(customers: Customers) {
  const created = [];
  for (const name of NAMES) created.push(await customers.createCustomer({ email: addressOf(name) }));
  await customers.control.advanceClock(2);
  return created;
}

const emailOf = async (customers: Customers, id: string) =>
  (await customers.call('GET', `/customers/${id}`)).body.customer.email;

it('gives reassigned e-mails to their new owners in any order and grouping of the events', async () => {
  // Who has whose address in the end: chains, swaps and circles, and addresses that nobody had before.
  const owners = fc.shuffledSubarray([...NAMES, 'new', 'other'], { minLength: 4, maxLength: 4 });
  const numbers = (max: number) => fc.array(fc.integer({ min: 1, max }), { minLength: 12, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(owners, fc.boolean(), numbers(1_000), numbers(5), async (names, hasDetour, places, sizes) => {
      await using customers = await startCustomers();
      const created = await createAll(customers);
      const move = async (nameAt: (index: number) => string | undefined) => {
        for (const [index, { processorCustomerId }] of created.entries())
          await customers.dashboard.customers.update(processorCustomerId, { email: addressOf(nameAt(index)) });
        await customers.control.advanceClock(2);
      };
      if (hasDetour) await move(index => NAMES[(index + 1) % NAMES.length]);
      await move(index => names[index]);
      const events = (await customers.events('customer.created', 'customer.updated'))
        .map((event, index) => ({ event, place: places[index] ?? 0 }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ event }) => event);
      for (const size of sizes) if (events.length > 0) await customers.deliver(...events.splice(0, size));
      const emails = await Promise.all(created.map(({ id }) => emailOf(customers, id)));
      expect(emails).toEqual(names.map(addressOf));
    }),
    { numRuns: runs(20), endOnFailure: true },
  );
});

it.each<[string, (customers: Customers, holder: { id: string; processorCustomerId: string }) => Promise<unknown>]>([
  ['is deleted here', (customers, { id }) => customers.call('DELETE', `/customers/${id}`)],
  [
    'gets another one here',
    (customers, { id }) => customers.call('PATCH', `/customers/${id}`, { body: { email: 'new@example.com' } }),
  ],
  [
    'is deleted at the processor',
    async (customers, { processorCustomerId }) => {
      await customers.dashboard.customers.del(processorCustomerId);
      await customers.deliver(...(await customers.events('customer.deleted')));
    },
  ],
])('takes an e-mail over as soon as the customer who holds it %s, however long that takes', async (_what, letGo) => {
  await using customers = await startCustomers();
  const [ada, bob] = await createAll(customers);
  for (const { processorCustomerId } of [ada, bob])
    await customers.dashboard.customers.update(processorCustomerId, { email: addressOf('bob') });
  await customers.deliver(...(await customers.events('customer.updated')));
  expect(await emailOf(customers, ada.id)).toBe(addressOf('ada'));
  await customers.control.advanceClock(86_400);
  await letGo(customers, bob);
  expect(await emailOf(customers, ada.id)).toBe(addressOf('bob'));
  const found = await customers.call('GET', `/customers?email=${addressOf('bob')}`);
  expect(found.body.customers).toMatchObject([{ id: ada.id }]);
  expect((await customers.call('POST', '/customers', { body: { email: addressOf('ada') } })).status).toBe(201);
});

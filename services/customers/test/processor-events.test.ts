import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import { ProjectId } from '@billing/contracts/ids';
import { isHandled, PROCESSOR_EVENT_OWNERS, ProcessorEventCompleted } from '@billing/contracts/processor-events';
import { processorFact, completionsIn } from '@billing/testing/processor-events';
import { waitFor } from '@billing/testing/wait-for';
import { startCustomers, statesIn, type Customers } from './harness.ts';

it('publishes nothing about the echo of its own changes, and settles it', async () => {
  await using customers = await startCustomers();
  const { id } = await customers.createCustomer();
  await customers.call('PATCH', `/customers/${id}`, { body: { name: 'Ada', metadata: { a: 'b' } } });
  const events = await customers.events();
  expect(events).toHaveLength(2);
  for (const event of [...events, ...events]) expect(await customers.receive(event, 1)).toEqual({ kind: 'done' });
  expect(statesIn(await customers.heard(CustomerCreated, CustomerUpdated))).toMatchObject([
    { version: 1 },
    { version: 2 },
  ]);
  expect(completionsIn(await customers.heard(ProcessorEventCompleted))).toMatchObject([
    { outcome: 'processed' },
    { outcome: 'processed' },
  ]);
});

it('hears over the bus what was changed at the processor', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer({ email: 'ada@example.com', name: 'Ada' });
  await customers.control.advanceClock(2);
  await customers.dashboard.customers.update(processorCustomerId, {
    email: 'Countess@Example.com',
    name: '',
    metadata: { vip: 'yes' },
  });
  const stop = await customers.bus.consume('customers', 'processor.customer.*.v1', customers.receive);
  for (const event of await customers.events()) {
    const body = JSON.stringify({ ...event, occurredAt: event.occurredAt.toISOString() });
    await customers.bus.publish(event.type, body, event.id, {});
  }
  const changed = await waitFor(
    async () => {
      const { customer } = (await customers.call('GET', `/customers/${id}`)).body;
      return customer.email === 'countess@example.com' && customer;
    },
    { what: 'the change' },
  );
  await stop();
  expect(changed).toMatchObject({ metadata: { vip: 'yes' } });
  expect(changed).not.toHaveProperty('name');
  expect(statesIn(await customers.heard(CustomerUpdated))).toMatchObject([
    { email: 'countess@example.com', name: null, version: 2 },
  ]);
  expect((await customers.call('POST', '/customers', { body: { email: 'ada@example.com' } })).status).toBe(201);
  expect((await customers.call('POST', '/customers', { body: { email: 'countess@example.com' } })).status).toBe(409);
});

it('keeps an address when the processor’s new one is another customer’s, or none', async () => {
  await using customers = await startCustomers();
  await customers.createCustomer({ email: 'bob@example.com' });
  const { id, processorCustomerId } = await customers.createCustomer();
  for (const email of ['bob@example.com', '']) {
    await customers.control.advanceClock(2);
    await customers.dashboard.customers.update(processorCustomerId, { email, name: `now ${email}` });
  }
  for (const event of await customers.events()) expect(await customers.receive(event, 1)).toEqual({ kind: 'done' });
  expect((await customers.call('GET', `/customers/${id}`)).body.customer).toMatchObject({
    email: 'ada@example.com',
    name: 'now ',
  });
});

it('lets customers pass that it does not know', async () => {
  await using customers = await startCustomers();
  const { id } = await customers.dashboard.customers.create({ email: 'x@example.com', metadata: customers.scope });
  await customers.dashboard.customers.del(id);
  for (const event of await customers.events()) expect(await customers.receive(event, 1)).toEqual({ kind: 'done' });
  expect((await customers.call('GET', '/customers')).body.customers).toEqual([]);
  expect(await customers.heard(ProcessorEventCompleted)).toHaveLength(2);
});

it('tells every project that holds the customer', async () => {
  await using customers = await startCustomers();
  const of = { ...customers.scope, projectId: ProjectId.create() };
  const mine = await customers.createCustomer();
  const theirs = await customers.createCustomer({ email: 'ada@example.com' }, of);
  await customers.control.advanceClock(2);
  await customers.dashboard.customers.update(mine.processorCustomerId, { name: 'Countess' });
  for (const scope of [customers.scope, of])
    for (const event of await customers.events([], scope)) await customers.receive(event, 1);
  expect((await customers.call('GET', `/customers/${mine.id}`)).body.customer.name).toBe('Countess');
  expect((await customers.call('GET', `/customers/${theirs.id}`, { of })).body.customer.name).toBe('Countess');
});

it('ends the same in whatever order events come, and however often', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer({ email: 'v0@example.com' });
  await customers.dashboard.customers.update(processorCustomerId, { email: 'v1@example.com' });
  await customers.control.advanceClock(2);
  // The last two within one second: only the processor can tell which of them holds.
  await customers.dashboard.customers.update(processorCustomerId, { email: 'v2@example.com', name: 'Second' });
  await customers.dashboard.customers.update(processorCustomerId, { email: 'v3@example.com', metadata: { a: 'b' } });
  const events = await customers.events();
  const orders = fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 });
  await fc.assert(
    fc.asyncProperty(orders, fc.boolean(), async (order, awaitsEcho) => {
      await rewind(customers, awaitsEcho);
      for (const event of order) expect(await customers.receive(event, 1)).toEqual({ kind: 'done' });
      expect((await customers.call('GET', `/customers/${id}`)).body.customer).toMatchObject({
        email: 'v3@example.com',
        name: 'Second',
        metadata: { a: 'b' },
      });
    }),
    { numRuns: 12 },
  );
  expect(await customers.em.fork().execute('select email from customer_emails')).toEqual([{ email: 'v3@example.com' }]);
});

it('removes a customer that the processor deleted, whatever comes after', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer();
  await customers.dashboard.customers.update(processorCustomerId, { name: 'Last words' });
  await customers.dashboard.customers.del(processorCustomerId);
  const events = await customers.events();
  for (const event of events.toReversed()) expect(await customers.receive(event, 1)).toEqual({ kind: 'done' });
  expect((await customers.call('GET', `/customers/${id}`)).status).toBe(404);
  expect((await customers.call('GET', '/customers')).body.customers).toEqual([]);
  expect(statesIn(await customers.heard(CustomerDeleted))).toMatchObject([{ id, version: 2 }]);
  expect(await customers.heard(CustomerUpdated)).toEqual([]);
  const again = await customers.createCustomer();
  expect(again.processorCustomerId).not.toBe(processorCustomerId);
});

it('never revives a customer that was deleted here', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer();
  await customers.call('DELETE', `/customers/${id}`);
  await customers.control.advanceClock(2);
  await customers.dashboard.customers.update(processorCustomerId, { name: 'Still here' });
  for (const event of await customers.events()) expect(await customers.receive(event, 1)).toEqual({ kind: 'done' });
  expect((await customers.call('GET', `/customers/${id}`)).status).toBe(404);
  expect(await customers.heard(CustomerUpdated)).toEqual([]);
  expect(await customers.heard(CustomerDeleted)).toHaveLength(1);
});

it('does not let a late event undo a change of its own', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer();
  await customers.dashboard.customers.update(processorCustomerId, { name: 'by hand' });
  await customers.call('PATCH', `/customers/${id}`, { body: { name: 'by us' } });
  const [byHand] = await customers.events(['customer.updated']);
  if (!byHand) throw new Error('The processor told of no change.');
  await customers.receive(byHand, 1);
  expect((await customers.call('GET', `/customers/${id}`)).body.customer.name).toBe('by us');
});

/** Puts the customer back to before the events, and forgets which of them were handled. */
async function rewind({ em }: Customers, awaitsEcho: boolean): Promise<void> {
  await em.fork().execute('delete from processed_events');
  await em.fork().execute(
    `update customers set email = 'v0@example.com', name = null, metadata = '{}', processor_updated_at = null,
       awaits_echo = ?, version = version + 1`,
    [awaitsEcho],
  );
  await em.fork().execute(`update customer_emails set email = 'v0@example.com'`);
}

it.each(['customer.created', 'customer.updated', 'customer.deleted'] as const)(
  'sets a %s whose object cannot be read aside at once, as failed',
  async type => {
    await using customers = await startCustomers();
    const event = processorFact(customers.scope, type, { id: 'cus_1', object: 'customer', email: 7 });
    expect(await customers.receive(event, 1)).toEqual({ kind: 'done' });
    const error = expect.stringMatching(/^The event's object cannot be read: email: /);
    const settled = completionsIn(await customers.heard(ProcessorEventCompleted));
    expect(settled).toMatchObject([{ outcome: 'failed', attempts: 1, error }]);
    const setAside = await customers.em.fork().execute('select attempts, error, set_aside_at from dead_letters');
    expect(setAside).toMatchObject([{ attempts: 1, error, set_aside_at: expect.anything() }]);
  },
);

it('settles every type of event that it owns, once, and no other', async () => {
  await using customers = await startCustomers();
  const types = Object.keys(PROCESSOR_EVENT_OWNERS).filter(isHandled);
  const idOf = (type: string) => `evt_${type.replaceAll('.', '_')}`;
  for (const type of types) {
    // An object that cannot be read is settled at once.
    const event = processorFact(customers.scope, type, {}, { eventId: idOf(type) });
    expect(await customers.receive(event, 1)).toEqual({ kind: 'done' });
  }
  const settled = completionsIn(await customers.heard(ProcessorEventCompleted)).map(({ eventId }) => eventId);
  const owned = types.filter(type => PROCESSOR_EVENT_OWNERS[type] === 'customers');
  expect(settled.toSorted()).toEqual(owned.map(idOf).toSorted());
});

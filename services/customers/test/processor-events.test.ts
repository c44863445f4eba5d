import { toDelivery } from '@billing/messaging/bus';
import { receiverOf } from '@billing/messaging/consumer/consume';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import { ProjectId } from '@billing/contracts/ids';
import {
  isHandled,
  PROCESSOR_EVENT_OWNERS,
  ProcessorEventCompleted,
  type ProcessorEventType,
} from '@billing/contracts/processor-events';
import { routedEvent, completionsIn } from '@billing/testing/processor-events';
import { customerEvents } from '../src/consumers/customers.ts';
import { startCustomers, type Customers } from './start-customers.ts';

it('completes the events of its own changes and publishes nothing', async () => {
  await using customers = await startCustomers();
  const { id } = await customers.createCustomer();
  await customers.call('PATCH', `/customers/${id}`, { body: { name: 'Ada', metadata: { a: 'b' } } });
  const events = await customers.events();
  expect(events).toHaveLength(2);
  for (const event of [...events, ...events]) await customers.deliver(event);
  expect(await customers.published(CustomerCreated, CustomerUpdated)).toMatchObject([
    { type: 'record.customer.created.v1', data: { version: 1 } },
    { type: 'record.customer.updated.v1', data: { version: 2 } },
  ]);
  expect(completionsIn(await customers.published(ProcessorEventCompleted))).toMatchObject([
    { outcome: 'processed' },
    { outcome: 'processed' },
  ]);
});

it('applies changes at the processor from the bus', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer({ email: 'ada@example.com', name: 'Ada' });
  await customers.control.advanceClock(2);
  await customers.dashboard.customers.update(processorCustomerId, {
    email: 'Countess@Example.com',
    name: '',
    metadata: { vip: 'yes' },
  });
  await customers.run();
  await customers.emit(...(await customers.events()));
  const changed = (await customers.call('GET', `/customers/${id}`)).body.customer;
  expect(changed).toMatchObject({ email: 'countess@example.com', metadata: { vip: 'yes' } });
  expect(changed).not.toHaveProperty('name');
  expect(await customers.published(CustomerUpdated)).toMatchObject([
    { data: { email: 'countess@example.com', name: null, version: 2 } },
  ]);
  expect((await customers.call('POST', '/customers', { body: { email: 'ada@example.com' } })).status).toBe(201);
  expect((await customers.call('POST', '/customers', { body: { email: 'countess@example.com' } })).status).toBe(409);
});

it('finds a customer by whatever e-mail an event brought, in any case and form', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer();
  for (const [email, spelling] of [
    ['a&b#/=!%{?|}@example.com', 'A&B#/=!%{?|}@Example.com'],
    ['jo\u0308rg@bu\u0308cher.example', 'J\u00d6RG@B\u00fccher.example'],
    ['"ada"@localhost', '"Ada"@localhost'],
  ] as const) {
    await customers.control.advanceClock(2);
    await customers.dashboard.customers.update(processorCustomerId, { email });
    await customers.deliver(...(await customers.events()));
    const found = await customers.call('GET', `/customers?email=${encodeURIComponent(spelling)}`);
    expect(found.body.customers).toMatchObject([{ id, email: email.normalize('NFC') }]);
  }
});

it('keeps the e-mail when the processor’s new one is taken or empty', async () => {
  await using customers = await startCustomers();
  await customers.createCustomer({ email: 'bob@example.com' });
  const { id, processorCustomerId } = await customers.createCustomer();
  for (const email of ['bob@example.com', '']) {
    await customers.control.advanceClock(2);
    await customers.dashboard.customers.update(processorCustomerId, { email, name: `now ${email}` });
  }
  await customers.deliver(...(await customers.events()));
  expect((await customers.call('GET', `/customers/${id}`)).body.customer).toMatchObject({
    email: 'ada@example.com',
    name: 'now ',
  });
});

it('ignores unknown customers', async () => {
  await using customers = await startCustomers();
  const { id } = await customers.dashboard.customers.create({
    email: 'x@example.com',
    metadata: { ...customers.scope },
  });
  await customers.dashboard.customers.del(id);
  await customers.deliver(...(await customers.events()));
  expect((await customers.call('GET', '/customers')).body.customers).toEqual([]);
  expect(completionsIn(await customers.published(ProcessorEventCompleted))).toHaveLength(2);
});

it('follows the customer in every project that holds it', async () => {
  await using customers = await startCustomers();
  const of = { ...customers.scope, projectId: ProjectId.create() };
  const mine = await customers.createCustomer();
  const theirs = await customers.createCustomer({ email: 'ada@example.com' }, of);
  await customers.control.advanceClock(2);
  await customers.dashboard.customers.update(mine.processorCustomerId, { name: 'Countess' });
  const { events } = customers.account;
  await customers.deliver(...(await events(customers.scope)), ...(await events(of)));
  expect((await customers.call('GET', `/customers/${mine.id}`)).body.customer.name).toBe('Countess');
  expect((await customers.call('GET', `/customers/${theirs.id}`, { of })).body.customer.name).toBe('Countess');
});

it('reaches the same state in any order of delivery', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer({ email: 'v0@example.com' });
  await customers.dashboard.customers.update(processorCustomerId, { email: 'v1@example.com' });
  await customers.control.advanceClock(2);
  // The last two in one second: only the processor knows which of them holds.
  await customers.dashboard.customers.update(processorCustomerId, { email: 'v2@example.com', name: 'Second' });
  await customers.dashboard.customers.update(processorCustomerId, { email: 'v3@example.com', metadata: { a: 'b' } });
  const events = await customers.events();
  const orders = fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 });
  await fc.assert(
    fc.asyncProperty(orders, fc.integer({ min: 1, max: 8 }), fc.boolean(), async (order, groupSize, awaitsWebhook) => {
      await rewind(customers, awaitsWebhook);
      const groups = Map.groupBy(order, (_, index) => Math.floor(index / groupSize));
      for (const group of groups.values()) await customers.deliver(...group);
      expect((await customers.call('GET', `/customers/${id}`)).body.customer).toMatchObject({
        email: 'v3@example.com',
        name: 'Second',
        metadata: { a: 'b' },
      });
    }),
    { numRuns: runs(12) },
  );
  expect(await customers.em.fork().execute('select value from customer_identifiers')).toEqual([
    { value: 'v3@example.com' },
  ]);
});

it('deletes a customer that the processor deleted, whatever comes later', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer();
  await customers.dashboard.customers.update(processorCustomerId, { name: 'Last words' });
  await customers.dashboard.customers.del(processorCustomerId);
  const events = await customers.events();
  for (const event of events.toReversed()) await customers.deliver(event);
  expect((await customers.call('GET', `/customers/${id}`)).status).toBe(404);
  expect((await customers.call('GET', '/customers')).body.customers).toEqual([]);
  expect(await customers.published(CustomerDeleted)).toMatchObject([{ data: { id, version: 2 } }]);
  expect(await customers.published(CustomerUpdated)).toEqual([]);
  const again = await customers.createCustomer();
  expect(again.processorCustomerId).not.toBe(processorCustomerId);
});

it('never revives a customer that was deleted here', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer();
  await customers.call('DELETE', `/customers/${id}`);
  await customers.control.advanceClock(2);
  await customers.dashboard.customers.update(processorCustomerId, { name: 'Still here' });
  await customers.deliver(...(await customers.events()));
  expect((await customers.call('GET', `/customers/${id}`)).status).toBe(404);
  expect(await customers.published(CustomerUpdated)).toEqual([]);
  expect(await customers.published(CustomerDeleted)).toHaveLength(1);
});

it('does not let a late event undo our own change', async () => {
  await using customers = await startCustomers();
  const { id, processorCustomerId } = await customers.createCustomer();
  await customers.dashboard.customers.update(processorCustomerId, { name: 'by hand' });
  await customers.call('PATCH', `/customers/${id}`, { body: { name: 'by us' } });
  const [byHand] = await customers.events('customer.updated');
  if (!byHand) throw new Error('The processor sent no event of the change.');
  await customers.deliver(byHand);
  expect((await customers.call('GET', `/customers/${id}`)).body.customer.name).toBe('by us');
});

it('reads the processor again when the record changes in the meantime', async () => {
  await using customers = await startCustomers();
  const { em, outbox, processor, logger, now } = customers;
  const { id, processorCustomerId } = await customers.createCustomer();
  await customers.dashboard.customers.update(processorCustomerId, { name: 'by hand' });
  await customers.call('PATCH', `/customers/${id}`, { body: { name: 'by us' } });
  const [byHand] = await customers.events('customer.updated');
  if (!byHand) throw new Error('The processor sent no event of the change.');
  let reads = 0;
  const overtaken = {
    ...processor,
    findCustomer: async (customerId: string) => {
      const found = await processor.findCustomer(customerId);
      reads += 1;
      if (reads > 1) return found;
      await customers.call('PATCH', `/customers/${id}`, { body: { name: 'by us again' } });
      return found;
    },
  };
  const consumer = customerEvents({ em, processors: { of: async () => overtaken }, logger, now });
  expect(await receiverOf(consumer, { outbox, logger })(toDelivery(byHand, 1))).toEqual({ kind: 'ack' });
  expect((await customers.call('GET', `/customers/${id}`)).body.customer.name).toBe('by us again');
});

it('S76: stores nothing of a customer beyond the limits of Stripe, and goes on with others', async () => {
  await using customers = await startCustomers();
  const known = await customers.createCustomer({ email: 'known@example.com' });
  const small = await customers.createCustomer({ email: 'small@example.com' });
  const updated = (id: string, metadata: object) =>
    routedEvent(customers.scope, 'customer.updated', { id, object: 'customer', created: 1_700_000_000, metadata });
  const large = { key: 'x'.repeat(20_000) };
  await customers.deliver(
    updated('cus_unknown', large),
    updated(known.processorCustomerId, large),
    updated(small.processorCustomerId, { key: 'value' }),
  );
  const completions = completionsIn(await customers.published(ProcessorEventCompleted));
  // Of the one that Stripe has, its state there counts.
  expect(completions.map(({ outcome }) => outcome).toSorted()).toEqual(['failed', 'processed', 'processed']);
  const [stored] = await customers.em.fork().execute<{ bytes: number }[]>(
    `select (select coalesce(sum(octet_length(body)), 0) from outbox_messages)::int
          + (select coalesce(sum(octet_length(c::text)), 0) from customers c)::int as bytes`,
  );
  expect(stored?.bytes).toBeLessThan(20_000);
});

it.each(['customer.created', 'customer.updated', 'customer.deleted'] as const)(
  'dead-letters a %s whose object cannot be read, as failed',
  async type => {
    await using customers = await startCustomers();
    const event = routedEvent(customers.scope, type, { id: 'cus_1', object: 'customer', email: 7 });
    await customers.deliver(event);
    const error = expect.stringMatching(/^The event's object cannot be read: email: /);
    const completions = completionsIn(await customers.published(ProcessorEventCompleted));
    expect(completions).toMatchObject([{ outcome: 'failed', attempts: 1, error }]);
    const deadLetters = await customers.em.fork().execute('select attempts, error, dead_lettered_at from dead_letters');
    expect(deadLetters).toMatchObject([{ attempts: 1, error, dead_lettered_at: expect.anything() }]);
  },
);

it('completes every event type that it owns, and no other', async () => {
  await using customers = await startCustomers();
  const isOwned = (type: ProcessorEventType) => PROCESSOR_EVENT_OWNERS[type] === 'customers';
  // An event whose object cannot be read is completed at once.
  const idOf = (type: string) => `evt_${type.replaceAll('.', '_')}`;
  const eventOf = (type: ProcessorEventType) => routedEvent(customers.scope, type, {}, { eventId: idOf(type) });
  const types = Object.keys(PROCESSOR_EVENT_OWNERS).filter(isHandled);
  const owned = types.filter(isOwned);
  for (const type of types.filter(other => !isOwned(other)))
    await expect(customers.deliver(eventOf(type))).rejects.toThrow('No consumer of customers');
  await customers.deliver(...owned.map(eventOf));
  const completions = completionsIn(await customers.published(ProcessorEventCompleted));
  expect(completions.map(({ eventId }) => eventId).toSorted()).toEqual(owned.map(idOf).toSorted());
});

/** Puts the customer back to before the events, and deletes the deduplication rows. */
async function rewind({ em }: Customers, awaitsWebhook: boolean): Promise<void> {
  await em.fork().execute('delete from processed_events');
  await em.fork().execute(
    `update customers set email = 'v0@example.com', name = null, metadata = '{}', processor_updated_at = null,
       awaits_webhook = ?, version = version + 1`,
    [awaitsWebhook],
  );
  await em.fork().execute(`update customer_identifiers set value = 'v0@example.com'`);
}

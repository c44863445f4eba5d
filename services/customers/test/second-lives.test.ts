import { CompareObjects } from '@billing/contracts/rpc/syncs';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { deliveredAgain, routedEvent } from '@billing/testing/processor-events';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startCustomers, type Customers } from './start-customers.ts';

/** Test data that was deleted may be made again under ids of its own. */
const objectOf = (created: number, name: string) => ({
  id: 'cus_fixture',
  object: 'customer',
  email: 'ada@example.com',
  name,
  metadata: {},
  created,
});

function eventsOf({ scope }: Customers) {
  const event = (type: ProcessorEventType, seconds: number, object: object) =>
    routedEvent(scope, type, { ...object }, { createdAt: new Date(seconds * 1_000) });
  const read = (seconds: number, object: object) => {
    const reading = event('customer.updated', seconds, object);
    return { ...reading, data: { ...Object(reading.data), fromSync: true } };
  };
  const [first, second] = [objectOf(5, 'First'), objectOf(30, 'Second')];
  return {
    second,
    all: [
      read(10, first),
      event('customer.updated', 15, { ...first, name: 'First, late' }),
      event('customer.deleted', 20, first),
      event('customer.deleted', 21, { id: first.id, object: 'customer', deleted: true }),
      read(40, second),
    ],
    later: event('customer.updated', 45, { ...second, name: 'Second, later' }),
  };
}

it('follows a customer into the second life of its id, in any order of events, twice', async () => {
  const indexes = [0, 1, 2, 3, 4, 0, 1, 2, 3, 4];
  const order = fc.shuffledSubarray(indexes, { minLength: indexes.length });
  await fc.assert(
    fc.asyncProperty(order, fc.boolean(), async (places, isDeletionLost) => {
      await using customers = await startCustomers();
      await customers.run();
      const { all, later, second } = eventsOf(customers);
      const sent = places.filter(place => !(isDeletionLost && (place === 2 || place === 3)));
      for (const place of sent) {
        const event = all[place];
        if (event) await customers.deliver(deliveredAgain(event));
      }
      const list = async () => (await customers.call('GET', '/customers')).body.customers;
      expect(await list()).toMatchObject([{ name: 'Second', email: 'ada@example.com' }]);
      const request = { ...customers.scope, type: 'customer' as const, objects: [second] };
      expect(await customers.rpc.call(CompareObjects.customers, request)).toMatchObject([{ outcome: 'same' }]);
      await customers.deliver(later);
      expect(await list()).toMatchObject([{ name: 'Second, later' }]);
    }),
    { numRuns: runs(8) },
  );
});

it('says of the second life of a deleted customer that it has no record', async () => {
  await using customers = await startCustomers();
  await customers.run();
  const { all, second } = eventsOf(customers);
  const [read, , deletion] = all;
  const request = { ...customers.scope, type: 'customer' as const, objects: [second] };
  const compare = () => customers.rpc.call(CompareObjects.customers, request);
  if (read) await customers.deliver(read);
  expect(await compare()).toMatchObject([{ outcome: 'missing', id: null }]);
  if (deletion) await customers.deliver(deletion);
  expect(await compare()).toMatchObject([{ outcome: 'missing', id: null }]);
});

it('leaves the e-mail of a deleted customer free when a sync reads it again', async () => {
  await using customers = await startCustomers();
  const [read, , deletion] = eventsOf(customers).all;
  if (!read || !deletion) throw new Error('There are five events.');
  await customers.deliver(read, deletion, deliveredAgain(read));
  const body = { email: 'ada@example.com' };
  expect((await customers.call('POST', '/customers', { body })).status).toBe(201);
});

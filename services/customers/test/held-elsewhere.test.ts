import { ProjectId } from '@billing/contracts/ids';
import { CompareObjects } from '@billing/contracts/rpc/syncs';
import { waitFor } from '@billing/testing/wait-for';
import { routedEvent } from '@billing/testing/processor-events';
import { expect, it } from 'vitest';
import { startCustomers, type Customers } from './start-customers.ts';

const email = 'ada@example.com';
const siblingOf = ({ scope }: Customers) => ({ ...scope, projectId: ProjectId.create() });

/** Has a sync of the project take a customer of the account, as it is read there, without marks. */
async function importCustomer({ dashboard, deliver }: Customers, id: string, of: ReturnType<typeof siblingOf>) {
  const event = routedEvent(of, 'customer.updated', { ...(await dashboard.customers.retrieve(id)) });
  await deliver({ ...event, data: { ...Object(event.data), fromSync: true } });
}

async function processorIdsOf(customers: Customers, of: ReturnType<typeof siblingOf>): Promise<string[]> {
  const { body } = await customers.call('GET', '/customers', { of });
  return body.customers.map((one: { processorCustomerId: string }) => one.processorCustomerId);
}

it('S79: leaves to a project what it holds without a mark, and creates a customer of its own', async () => {
  await using customers = await startCustomers();
  const holder = siblingOf(customers);
  const held = await customers.dashboard.customers.create({ email, name: 'Ada', metadata: { crm: '7' } });
  await importCustomer(customers, held.id, holder);
  const linked = await customers.createCustomer({ email, name: 'Eve', metadata: { plan: 'pro' } });
  expect(linked.processorCustomerId).not.toBe(held.id);
  expect(linked.metadata).toEqual({ plan: 'pro' });
  expect(await customers.processor.findCustomer(held.id)).toMatchObject({ name: 'Ada', metadata: { crm: '7' } });
  expect(await processorIdsOf(customers, holder)).toEqual([held.id]);
});

it('S79: links what no live customer of another project holds any more', async () => {
  await using customers = await startCustomers();
  const holder = siblingOf(customers);
  const { id } = await customers.dashboard.customers.create({ email });
  await importCustomer(customers, id, holder);
  const { body } = await customers.call('GET', '/customers', { of: holder });
  await customers.call('DELETE', `/customers/${body.customers[0].id}`, { of: holder });
  expect((await customers.createCustomer({ email })).processorCustomerId).toBe(id);
});

it('S79: records no customer that another project is just linking, nor one that it has linked', async () => {
  await using customers = await startCustomers();
  const { id } = await customers.dashboard.customers.create({ email });
  const before = { ...(await customers.dashboard.customers.retrieve(id)) };
  const other = siblingOf(customers);
  const read = () => {
    const event = routedEvent(other, 'customer.updated', before);
    return customers.deliver({ ...event, data: { ...Object(event.data), fromSync: true } });
  };
  await customers.control.fail({ mode: 'held', method: 'POST', path: `/v1/customers/${id}` });
  const linking = customers.createCustomer({ email });
  await waitFor(async () => (await customers.openOperations()).length > 0, { what: 'the link to be logged' });
  await read();
  expect(await processorIdsOf(customers, other)).toEqual([]);
  await customers.control.clearFaults();
  expect((await linking).processorCustomerId).toBe(id);
  // The reading of a sync from before the mark.
  await read();
  expect(await processorIdsOf(customers, other)).toEqual([]);
});

it('S79: tells a sync which customers other projects hold', async () => {
  await using customers = await startCustomers();
  await customers.run();
  const { processorCustomerId: id } = await customers.createCustomer({ email });
  const compare = (of: ReturnType<typeof siblingOf>) =>
    customers.rpc.call(CompareObjects.customers, {
      ...of,
      type: 'customer',
      objects: [{ id, object: 'customer', email, metadata: {}, created: 1 }],
    });
  expect(await compare(customers.scope)).toMatchObject([{ isHeldElsewhere: false }]);
  expect(await compare(siblingOf(customers))).toMatchObject([{ outcome: 'missing', isHeldElsewhere: true }]);
});

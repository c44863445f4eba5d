import { expect, it } from 'vitest';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { startCustomers } from './start-customers.ts';

const email = 'ada@example.com';

it('links to the processor’s customer with the same e-mail and completes it', async () => {
  await using customers = await startCustomers();
  const existing = await customers.dashboard.customers.create({ email, name: 'Old', metadata: { crm: '7' } });
  const customer = await customers.createCustomer({ email, name: 'Ada', metadata: { plan: 'pro' } });
  expect(customer).toMatchObject({
    processorCustomerId: existing.id,
    name: 'Ada',
    metadata: { crm: '7', plan: 'pro' },
  });
  expect(await customers.processor.findCustomer(existing.id)).toMatchObject({
    name: 'Ada',
    metadata: { crm: '7', plan: 'pro', ...customers.scope, customerId: customer.id },
  });
});

it('keeps the processor’s name when none is given', async () => {
  await using customers = await startCustomers();
  await customers.dashboard.customers.create({ email, name: 'Ada' });
  expect(await customers.createCustomer({ email })).toMatchObject({ name: 'Ada' });
});

it('prefers a customer of this project, then an unmarked one, then the oldest', async () => {
  await using customers = await startCustomers();
  const { teamId, projectId } = customers.scope;
  const theirs = { teamId, projectId: ProjectId.create() };
  const make = async (metadata: Record<string, string>) => {
    const { id } = await customers.dashboard.customers.create({ email, metadata });
    await customers.control.advanceClock(10);
    return id;
  };
  const oldest = await make(theirs);
  await make(theirs);
  const unnamed = await make({});
  await make({});
  const ours = await make({ teamId, projectId });
  const chosen = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const customer = await customers.createCustomer({ email });
    chosen.push(customer.processorCustomerId);
    await customers.call('DELETE', `/customers/${customer.id}`);
    await customers.dashboard.customers.del(customer.processorCustomerId);
    if (turn === 1) await deleteUnnamed();
  }
  expect(chosen).toEqual([ours, unnamed, oldest]);

  async function deleteUnnamed(): Promise<void> {
    const rest = await customers.processor.listCustomersByEmail(email);
    for (const { id, metadata } of rest) if (!metadata['projectId']) await customers.dashboard.customers.del(id);
  }
});

it.each([
  ['project', { projectId: ProjectId.create() }],
  ['team', { teamId: TeamId.create() }],
])('leaves the metadata of another %s’s customer alone, and keeps ours here', async (_whose, theirs) => {
  await using customers = await startCustomers();
  const metadata = { customerId: 'pc_theirs', theirs: 'secret', ...theirs };
  const { id } = await customers.dashboard.customers.create({ email, metadata });
  const customer = await customers.createCustomer({ email, metadata: { plan: 'pro' } });
  expect(customer.processorCustomerId).toBe(id);
  expect(customer.metadata).toEqual({ plan: 'pro' });
  const body = { name: 'Ada', metadata: { plan: 'team' } };
  const changed = await customers.call('PATCH', `/customers/${customer.id}`, { body });
  expect(changed.body.customer).toMatchObject({ name: 'Ada' });
  expect(changed.body.customer.metadata).toEqual({ plan: 'team' });
  const atProcessor = await customers.processor.findCustomer(id);
  expect(atProcessor).toMatchObject({ name: 'Ada' });
  expect(atProcessor).toHaveProperty('metadata', metadata);
  await customers.deliver(...(await customers.events()));
  expect((await customers.call('GET', `/customers/${customer.id}`)).body.customer.metadata).toEqual({ plan: 'team' });
});

it('does not link two customers of a project to one at the processor', async () => {
  await using customers = await startCustomers();
  const first = await customers.createCustomer({ email });
  await customers.dashboard.customers.update(first.processorCustomerId, { email: 'bob@example.com' });
  const second = await customers.createCustomer({ email: 'bob@example.com' });
  expect(second.processorCustomerId).not.toBe(first.processorCustomerId);
});

import { AuditRecorded } from '@billing/contracts/events/audit';
import { expect, it } from 'vitest';
import { startCustomers } from './start-customers.ts';

const hidden = (field: string) => ({ field, from: null, to: null });

it('records each change of a customer with its caller, and none of their personal data', async () => {
  await using customers = await startCustomers();
  const body = { email: 'ada@example.com', name: 'Ada', externalId: 'user-815', metadata: { note: 'secret-1' } };
  const { customer } = (await customers.call('POST', '/customers', { body })).body;
  const at = `/customers/${customer.id}`;
  const change = { name: 'Ada', email: 'king@example.com', metadata: { note: 'secret-2' } };
  expect((await customers.call('PATCH', at, { body: change })).status).toBe(200);
  expect((await customers.call('PATCH', at, { body: {} })).status).toBe(200);
  expect((await customers.call('DELETE', at)).status).toBe(200);
  expect((await customers.call('DELETE', at)).status).toBe(404);

  const entries = (await customers.published(AuditRecorded)).map(({ data }) => data);
  const common = { target: { type: 'customer', id: customer.id }, actor: { type: 'key' }, requestId: 'req_test' };
  expect(entries).toMatchObject([
    { ...common, action: 'createCustomer', changes: ['email', 'name', 'externalId', 'metadata'].map(hidden) },
    { ...common, action: 'updateCustomer', changes: ['email', 'metadata'].map(hidden) },
    { ...common, action: 'updateCustomer', changes: [] },
    { ...common, action: 'deleteCustomer', changes: [] },
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/Ada|@example|user-815|secret-/);
});

it('records no change of a customer whom the processor turns out to have deleted', async () => {
  await using customers = await startCustomers();
  const { customer } = (await customers.call('POST', '/customers', { body: { email: 'ada@example.com' } })).body;
  await customers.dashboard.customers.del(customer.processorCustomerId);
  expect((await customers.call('PATCH', `/customers/${customer.id}`, { body: { name: 'Ada' } })).status).toBe(404);
  expect(await customers.published(AuditRecorded)).toHaveLength(1);
});

import type { CustomerState } from '@billing/contracts/events/customers';
import { ListCustomerStates } from '@billing/contracts/rpc/list-states';
import { expect, it } from 'vitest';
import { startCustomers } from './harness.ts';

it('tells every customer of the project part by part, the deleted ones too, each once and in its newest state', async () => {
  await using customers = await startCustomers();
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    ids.push((await customers.createCustomer({ email: `${name}@example.com` })).id);
  await customers.call('DELETE', `/customers/${ids[1]}`);
  // Rows of one moment, told by the database more exactly than a Date can tell, fall apart over parts too.
  await customers.em.fork().execute(`update customers set created_at = '2026-01-01T00:00:00.000456Z'`);

  const askFor = (after: string | null) =>
    customers.rpc.call(ListCustomerStates, { ...customers.scope, after, limit: 2 });
  const told: CustomerState[] = [];
  for (let part = await askFor(null); told.length <= ids.length; part = await askFor(part.next)) {
    told.push(...part.records.map(({ state }) => state));
    if (part.next === null) break;
  }

  expect(told.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(told.find(({ id }) => id === ids[1])).toMatchObject({ version: 2, deletedAt: expect.any(Date) });
  expect(told.find(({ id }) => id === ids[0])).toMatchObject({ version: 1, deletedAt: null, email: 'a@example.com' });
});

import type { CustomerState } from '@billing/contracts/events/customers';
import { ListCustomerStates } from '@billing/contracts/rpc/list-states';
import { expect, it } from 'vitest';
import { startCustomers } from './start-customers.ts';

it('lists every customer state once, page by page, with deleted ones', async () => {
  await using customers = await startCustomers();
  await customers.run();
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    ids.push((await customers.createCustomer({ email: `${name}@example.com` })).id);
  await customers.call('DELETE', `/customers/${ids[1]}`);
  // Rows with one creation time, more exact than a Date, are split over pages too.
  await customers.em.fork().execute(`update customers set created_at = '2026-01-01T00:00:00.000456Z'`);

  const fetchPage = (after: string | null) =>
    customers.rpc.call(ListCustomerStates, { ...customers.scope, after, limit: 2 });
  const received: CustomerState[] = [];
  for (let page = await fetchPage(null); received.length <= ids.length; page = await fetchPage(page.next)) {
    received.push(...page.records.map(({ state }) => state));
    if (page.next === null) break;
  }

  expect(received.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(received.find(({ id }) => id === ids[1])).toMatchObject({ version: 2, deletedAt: expect.any(Date) });
  expect(received.find(({ id }) => id === ids[0])).toMatchObject({
    version: 1,
    deletedAt: null,
    email: 'a@example.com',
  });
});

import { expect, it } from 'vitest';
import { CustomerId, ProjectId } from '@billing/contracts/ids';
import { SearchCustomers } from '@billing/contracts/rpc/calls';
import { startCustomers } from './start-customers.ts';

it('lists newest first, fifty per page by default', async () => {
  await using customers = await startCustomers();
  for (const name of ['a', 'b', 'c']) await customers.createCustomer({ email: `${name}@example.com` });
  const all = await customers.call('GET', '/customers');
  expect(emails(all.body)).toEqual(['c@example.com', 'b@example.com', 'a@example.com']);
  expect(all.body.customers[0]).toHaveProperty('updatedAt');
  expect(all.body.customers[0]).not.toHaveProperty('name');
  expect(all.body.pagination).toEqual({
    limit: 50,
    offset: 0,
    total: 3,
    hasMore: false,
    totalIsExact: true,
    nextCursor: null,
  });
  const page = await customers.call('GET', '/customers?limit=1&offset=1');
  expect(emails(page.body)).toEqual(['b@example.com']);
  expect(page.body.pagination).toEqual({
    limit: 1,
    offset: 1,
    total: 3,
    hasMore: true,
    totalIsExact: true,
    nextCursor: expect.any(String),
  });
});

it('finds customers by a part of their e-mail, name or external id, or by a short beginning, in any case', async () => {
  await using customers = await startCustomers();
  await customers.createCustomer({ email: 'ada@example.com', name: 'Ada Lovelace', externalId: 'user-1' });
  await customers.createCustomer({ email: 'grace@example.com', name: '100%_Grace' });
  const found = async (search: string) =>
    emails((await customers.call('GET', `/customers?search=${encodeURIComponent(search)}`)).body);
  expect(await found('LOVE')).toEqual(['ada@example.com']);
  expect(await found('grace@')).toEqual(['grace@example.com']);
  expect(await found('User-1')).toEqual(['ada@example.com']);
  expect(await found('example')).toHaveLength(2);
  expect(await found('%_G')).toEqual(['grace@example.com']);
  expect(await found('GR')).toEqual(['grace@example.com']);
  expect(await found('ce')).toEqual([]);
  expect(await found('nobody')).toEqual([]);
});

it('tells other services whom a search finds in the project', async () => {
  await using customers = await startCustomers();
  await customers.run();
  const ada = await customers.createCustomer({ email: 'ada@example.com', name: 'Ada Lovelace' });
  const gone = await customers.createCustomer({ email: 'gone@example.com', name: 'Ada Gone' });
  await customers.call('DELETE', `/customers/${gone.id}`);
  const found = (search: string, scope = customers.scope) => customers.rpc.call(SearchCustomers, { ...scope, search });
  expect(await found('ADA')).toEqual([ada.id]);
  expect(await found('%')).toEqual([]);
  expect(await found('ada', { ...customers.scope, projectId: ProjectId.create() })).toEqual([]);
});

it('lists customers of a time in either order, and the one with an id of the processor', async () => {
  await using customers = await startCustomers();
  const created = [];
  for (const name of ['a', 'b', 'c']) created.push(await customers.createCustomer({ email: `${name}@example.com` }));
  const found = async (query: string) => emails((await customers.call('GET', `/customers?${query}`)).body);
  const [a, b, c] = created.map(({ email }) => email);
  expect(await found('order=oldest')).toEqual([a, b, c]);
  expect(await found(`createdAfter=${created[1].createdAt}`)).toEqual([c, b]);
  expect(await found(`createdBefore=${created[1].createdAt}&order=oldest`)).toEqual([a]);
  expect(await found(`processorId=${created[2].processorCustomerId}`)).toEqual([c]);
  const { body } = await customers.call('GET', '/customers?order=oldest&limit=2');
  expect(await found(`order=oldest&cursor=${body.pagination.nextCursor}`)).toEqual([c]);
  const other = await customers.call('GET', `/customers?processorId=${created[0].processorCustomerId}`, {
    of: { ...customers.scope, projectId: ProjectId.create() },
  });
  expect(other.body.customers).toEqual([]);
});

it('lists the customers with the given ids, and none of another project', async () => {
  await using customers = await startCustomers();
  const [ada, grace] = [await customers.createCustomer(), await customers.createCustomer({ email: 'g@example.com' })];
  await customers.createCustomer({ email: 'other@example.com' });
  const { body } = await customers.call('GET', `/customers?ids=${ada.id},${grace.id},${CustomerId.create()}`);
  expect(emails(body).toSorted()).toEqual(['ada@example.com', 'g@example.com']);
  const tooMany = Array.from({ length: 101 }, () => CustomerId.create()).join(',');
  expect((await customers.call('GET', `/customers?ids=${tooMany}`)).status).toBe(400);
});

function emails(page: { customers: { email: string }[] }): string[] {
  return page.customers.map(({ email }) => email);
}

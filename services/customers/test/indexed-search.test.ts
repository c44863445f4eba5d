import { containing } from '@billing/database/containing';
import { expect, it } from 'vitest';
import { Customer, SEARCHED_COLUMNS } from '../src/persistence/customer.entity.ts';
import { startCustomers } from './start-customers.ts';

it('S87: searches by an index, and counts no more than 10,000 customers', async () => {
  await using customers = await startCustomers();
  const ada = await customers.createCustomer({ email: 'ada@example.com', name: 'Lovelace Лавлейс' });
  for (let first = 1; first <= 22_000; first += 2_000)
    await customers.em.execute(
      `insert into customers
       select (json_populate_record(one, json_build_object(
                'id', 'pc_' || lpad(i::text, 24, '0'), 'email', 'user' || i || '@example.com', 'name', null,
                'processor_id', 'cus_' || i, 'project_id', case when i % 2 = 0 then project_id else 'proj_' || i % 40 end))).*
         from customers one, generate_series(?::int, ?::int) i where id = ?`,
      [first, first + 1_999, ada.id],
    );
  await customers.em.execute('analyze customers');
  const { teamId, projectId } = customers.scope;
  for (const search of ['lovel', 'lo', 'nobody', 'r19998@']) {
    const page = customers.em
      .createQueryBuilder(Customer)
      .where({
        teamId,
        projectId,
        processorId: { $ne: null },
        deletedAt: null,
        $or: SEARCHED_COLUMNS.map(column => containing(column, search)),
      })
      .orderBy({ createdAt: 'desc', id: 'asc' })
      .limit(51);
    const { sql, params } = page.toQuery();
    const plan = await customers.em.execute<object[]>(`explain ${sql}`, [...params]);
    expect(JSON.stringify(plan), search).toContain('customers_search');
  }
  const list = async (query: string) => (await customers.call('GET', `/customers?${query}`)).body;
  for (const search of ['LOVEL', 'ЛАВЛЕЙС', 'ADA@'])
    expect(await list(`search=${search}`)).toMatchObject({ customers: [{ id: ada.id }], pagination: { total: 1 } });
  expect((await list('search=example')).pagination).toMatchObject({
    total: 10_000,
    totalIsExact: false,
    hasMore: true,
  });
  expect((await list('offset=10500&limit=1')).pagination).toMatchObject({ total: 10_000, totalIsExact: false });
});

import { Client } from 'pg';
import { expect, it } from 'vitest';
import { startCatalog } from './start-catalog.ts';

it('has migrations that match the entities', async () => {
  await using catalog = await startCatalog();
  expect(await catalog.database.schema.getUpdateSchemaSQL()).toBe('');
  await catalog.em.execute('alter table products drop column description');
  expect(await catalog.database.schema.getUpdateSchemaSQL()).toContain('add "description" text');
});

it('keeps services’ roles out of each other’s tables', async () => {
  await using catalog = await startCatalog();
  await catalog.createProduct();
  const { url } = catalog.testDatabase;
  const customers = await catalog.testDatabase.provision('customers');
  await run(customers, 'create table secrets (id int)');
  for (const statement of [
    'select * from catalog.products',
    `update catalog.products set name = 'Theirs'`,
    'delete from catalog.remote_operations',
    'create table catalog.planted (id int)',
  ])
    await expect(run(customers, statement)).rejects.toThrow('permission denied for schema catalog');
  await expect(run(url, 'select * from customers.secrets')).rejects.toThrow('permission denied for schema customers');
  await expect(run(url, 'set role billing_customers')).rejects.toThrow('permission denied');
  expect(await run(url, 'select name from products')).toEqual([{ name: 'Pro' }]);
});

async function run(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

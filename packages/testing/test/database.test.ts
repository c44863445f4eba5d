import { Client } from 'pg';
import { expect, it } from 'vitest';
import { createTestDatabase } from '@billing/testing/database';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

it('provides a service’s role and schema in a separate database', async () => {
  await using database = await createTestDatabase('catalog');
  await query(database.url, 'create table item (id int)');
  await query(database.url, 'insert into item values (7)');
  expect(await query(database.url, 'select current_user::text')).toEqual(['billing_catalog']);
  expect(await query(database.adminUrl, 'select id from catalog.item')).toEqual([7]);

  await using other = await createTestDatabase('catalog');
  await expect(query(other.url, 'select id from item')).rejects.toThrow('does not exist');
});

it('denies a service access to another service’s schema', async () => {
  await using database = await createTestDatabase('catalog');
  await query(database.url, 'create table item (id int)');
  const customers = await database.provision('customers');
  await expect(query(customers, 'select id from catalog.item')).rejects.toThrow('permission denied for schema catalog');
});

it('creates many databases at once, and drops them while clients are connected', async () => {
  const databases = await Promise.all(Array.from({ length: 6 }, () => createTestDatabase('referrals')));
  const [first] = databases;
  const client = new Client({ connectionString: first?.url });
  client.on('error', () => {});
  await client.connect();
  await Promise.all(databases.map(database => database.drop()));
  await expect(query(first?.url ?? '', 'select 1')).rejects.toThrow('does not exist');
});

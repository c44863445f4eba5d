import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { createTestDatabase } from '@billing/testing/database';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { checkForeignRights, checkRolePowers } from '../src/checks/rights.ts';
import { openReadOnly } from '../src/read/database.ts';
import { readForeignRights, readRolePowers } from '../src/read/rights.ts';
import { readOutbox, readOverdue } from '../src/read/work.ts';

const tables = { entities: messagingEntities, migrations: messagingMigrations };

it('can read a schema, and change nothing in it', async () => {
  await using opened = await createTestDatabase('catalog', tables);
  await using database = await openReadOnly('catalog', opened.url);
  expect(await readOutbox(database)).toEqual({ service: 'catalog', rows: 0, oldestSeconds: null });
  expect(await readOverdue(database)).toEqual([{ service: 'catalog', table: 'dead_letters', rows: 0, seconds: 0 }]);
  for (const statement of [
    'delete from outbox_messages',
    'create table t (id int)',
    `update dead_letters set attempts = 0`,
    `select nextval('outbox_messages_sequence_seq')`,
  ])
    await expect(database.query(statement)).rejects.toThrow('read-only transaction');
});

it('sees the rights of roles with the rights of any of them', async () => {
  await using opened = await createTestDatabase('catalog', tables);
  await opened.provision('customers');
  await using database = await openReadOnly('catalog', opened.url);
  expect(checkForeignRights(await readForeignRights(database))).toEqual([]);
  expect(checkRolePowers(await readRolePowers(database))).toEqual([]);

  await using admin = await openAdmin(opened.adminUrl);
  await admin.query(`grant usage on schema catalog to billing_customers`);
  await admin.query(`grant select on catalog.outbox_messages to billing_customers`);
  expect(checkForeignRights(await readForeignRights(database))).toMatchObject([
    {
      subject: 'billing_customers',
      problem: expect.stringMatching(/SELECT on catalog\.outbox_messages, USAGE on schema catalog/),
    },
  ]);
});

async function openAdmin(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  return { query: (sql: string) => client.query(sql), [Symbol.asyncDispose]: () => client.end() };
}

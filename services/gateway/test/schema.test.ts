import { migrate } from '@billing/service/database';
import { createTestDatabase } from '@billing/testing/database';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { openDatabase } from '#persistence/database.ts';

it('has migrations that lead to what the entities say', async () => {
  await using testDatabase = await createTestDatabase('gateway');
  // Sign-in's schema is not described by our entities, and would be taken for something left over.
  const admin = new Client({ connectionString: testDatabase.adminUrl });
  await admin.connect();
  await admin.query('drop schema auth');
  await admin.end();

  await using resources = new AsyncDisposableStack();
  const database = resources.adopt(openDatabase(testDatabase.url), opened => opened.close());
  await migrate(database);
  expect(await database.schema.getUpdateSchemaSQL()).toBe('');
});

import { migrate } from '@billing/service/database';
import { createTestDatabase } from '@billing/testing/database';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { openDatabase } from '#persistence/database.ts';

it('has migrations that create the schema of the entities', async () => {
  await using testDatabase = await createTestDatabase('gateway');
  // No entities describe the schema of better-auth, so the comparison would report it as unknown.
  const admin = new Client({ connectionString: testDatabase.adminUrl });
  await admin.connect();
  await admin.query('drop schema auth');
  await admin.end();

  await using resources = new AsyncDisposableStack();
  const database = resources.adopt(openDatabase(testDatabase.url), opened => opened.close());
  await migrate(database);
  expect(await database.schema.getUpdateSchemaSQL()).toBe('');
});

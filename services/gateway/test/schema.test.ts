import { Client } from 'pg';
import { expect, it } from 'vitest';
import { startGateway } from './start-gateway.ts';

it('has migrations that create the schema of the entities', async () => {
  await using gateway = await startGateway();
  // No entities describe the schema of better-auth, so the comparison would report it as unknown.
  const admin = new Client({ connectionString: gateway.testDatabase.adminUrl });
  await admin.connect();
  await admin.query('drop schema auth cascade');
  await admin.end();
  expect(await gateway.database.schema.getUpdateSchemaSQL()).toBe('');
});

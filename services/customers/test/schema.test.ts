import { expect, it } from 'vitest';
import { startCustomers } from './start-customers.ts';

it('has migrations that match the entities', async () => {
  await using customers = await startCustomers();
  expect(await customers.database.schema.getUpdateSchemaSQL()).toBe('');
  await customers.em.execute('drop index customers_processor_id_unique');
  expect(await customers.database.schema.getUpdateSchemaSQL()).toContain('customers_processor_id_unique');
});

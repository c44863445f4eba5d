import { expect, it } from 'vitest';
import { migrate } from '@billing/database/database';
import { openServiceDatabase, wholeSchema } from '@billing/service/service-database';
import { createTestDatabase } from '@billing/testing/database';
import { customersSchema } from '../src/persistence/schema.ts';
import { startCustomers } from './start-customers.ts';

it('has migrations that match the entities', async () => {
  await using customers = await startCustomers();
  expect(await customers.database.schema.getUpdateSchemaSQL()).toBe('');
  await customers.em.execute('drop index customers_processor_customer_id_unique');
  expect(await customers.database.schema.getUpdateSchemaSQL()).toContain('customers_processor_customer_id_unique');
});

it('takes the external ids of an older database from the metadata, unless two have the same', async () => {
  const older = {
    ...customersSchema,
    migrations: customersSchema.migrations.filter(({ name }) => name !== '0002-add-external-ids'),
  };
  await using testDatabase = await createTestDatabase('customers', wholeSchema(older));
  const database = openServiceDatabase('customers', customersSchema, testDatabase.url);
  try {
    const em = database.em.fork();
    for (const [id, externalId] of [
      ['pc_1', 'user-1'],
      ['pc_2', 'same'],
      ['pc_3', 'same'],
      ['pc_4', null],
    ]) {
      const metadata = JSON.stringify({ plan: 'pro', ...(externalId !== null && { externalId }) });
      await em.execute(
        `insert into customers values (?, 't', 'p', ?, null, ?, ?, null, false, 1, now(), now(), null)`,
        [id, `${id}@example.com`, metadata, `cus_${id}`],
      );
      await em.execute(`insert into customer_emails values ('t', 'p', ?, ?)`, [`${id}@example.com`, id]);
    }
    await migrate(database);
    expect(await em.execute('select id, external_id, metadata from customers order by id')).toEqual([
      { id: 'pc_1', external_id: 'user-1', metadata: { plan: 'pro' } },
      { id: 'pc_2', external_id: null, metadata: { plan: 'pro', externalId: 'same' } },
      { id: 'pc_3', external_id: null, metadata: { plan: 'pro', externalId: 'same' } },
      { id: 'pc_4', external_id: null, metadata: { plan: 'pro' } },
    ]);
    expect(
      await em.execute(`select kind, value from customer_identifiers where customer_id = 'pc_1' order by 1`),
    ).toEqual([
      { kind: 'email', value: 'pc_1@example.com' },
      { kind: 'external-id', value: 'user-1' },
    ]);
  } finally {
    await database.close();
  }
});

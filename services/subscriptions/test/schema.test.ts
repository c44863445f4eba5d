import { expect, it } from 'vitest';
import { migrate } from '@billing/database/database';
import { openServiceDatabase, wholeSchema } from '@billing/service/service-database';
import { createTestDatabase } from '@billing/testing/database';
import { subscriptionsSchema } from '../src/persistence/schema.ts';
import { startService } from './service.ts';

it('has migrations that create what the entities describe', async () => {
  await using service = await startService();
  expect(await service.database.schema.getUpdateSchemaSQL()).toBe('');
});

it('takes in again the billing of customers that followed a deleted one in an older database', async () => {
  const older = {
    ...subscriptionsSchema,
    migrations: subscriptionsSchema.migrations.filter(({ name }) => name !== '0004-create-customer-intakes'),
  };
  await using testDatabase = await createTestDatabase('subscriptions', wholeSchema(older));
  const database = openServiceDatabase('subscriptions', subscriptionsSchema, testDatabase.url);
  try {
    const em = database.em.fork();
    for (const [id, processorId, isDeleted] of [
      ['pc_1', 'cus_1', true],
      ['pc_2', 'cus_1', false],
      ['pc_3', 'cus_2', false],
      ['pc_4', 'cus_3', true],
    ])
      await em.execute(
        `insert into customer_copies (id, team_id, project_id, processor_customer_id, version, created_at, deleted_at)
         values (?, 't', 'p', ?, 1, now(), case when ? then now() end)`,
        [id, processorId, isDeleted],
      );
    await migrate(database);
    const intakes = await em.execute('select customer_id, stage, due_at <= now() as is_due from customer_intakes');
    expect(intakes).toEqual([{ customer_id: 'pc_2', stage: 'records', is_due: true }]);
  } finally {
    await database.close();
  }
});

import { expect, it } from 'vitest';
import { startWebhooks } from './start-webhooks.ts';

it('has migrations that match the entities', async () => {
  await using service = await startWebhooks({ run: false });
  // Tables without an entity are described by the migration alone.
  const update = () => service.database.schema.getUpdateSchemaSQL({ dropTables: false });
  expect(await update()).toBe('');
  await service.sql('alter table syncs drop column counts');
  expect(await update()).toContain('add "counts" jsonb');
});

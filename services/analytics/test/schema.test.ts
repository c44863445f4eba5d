import { expect, it } from 'vitest';
import { startAnalytics } from './start-analytics.ts';

it('has migrations that create what the entities describe', async () => {
  await using service = await startAnalytics();
  // A table without an entity is described by the migration alone.
  expect(await service.database.schema.getUpdateSchemaSQL({ dropTables: false })).toBe('');
});

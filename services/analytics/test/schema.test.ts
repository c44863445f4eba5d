import { expect, it } from 'vitest';
import { startAnalytics } from './start-analytics.ts';

it('has migrations that create what the entities describe', async () => {
  await using service = await startAnalytics();
  expect(await service.database.schema.getUpdateSchemaSQL()).toBe('');
});

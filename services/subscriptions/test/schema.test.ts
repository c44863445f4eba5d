import { expect, it } from 'vitest';
import { startService } from './service.ts';

it('has migrations that create what the entities describe', async () => {
  await using service = await startService();
  expect(await service.database.schema.getUpdateSchemaSQL()).toBe('');
});

import { expect, it } from 'vitest';
import { startService } from './service.ts';

it('has migrations that lead to what the entities say', async () => {
  await using service = await startService({ working: false });
  expect(await service.database.schema.getUpdateSchemaSQL()).toBe('');
});

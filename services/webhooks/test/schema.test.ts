import { expect, it } from 'vitest';
import { startWebhooks } from './start-webhooks.ts';

it('has migrations that match the entities', async () => {
  await using service = await startWebhooks({ run: false });
  expect(await service.database.schema.getUpdateSchemaSQL()).toBe('');
  await service.sql('alter table webhook_events drop column trace');
  expect(await service.database.schema.getUpdateSchemaSQL()).toContain('add "trace" jsonb');
});

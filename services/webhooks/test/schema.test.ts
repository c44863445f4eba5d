import { expect, it } from 'vitest';
import { migrate } from '@billing/service/database';
import { claimDue } from '#processing/claim.ts';
import { aCustomer, anEvent, startService } from './service.ts';

it('has migrations that lead to what the entities say', async () => {
  await using service = await startService({ working: false });
  expect(await service.database.schema.getUpdateSchemaSQL()).toBe('');
});

it('takes over events that were stored before their payloads were counted', async () => {
  await using service = await startService({ working: false });
  const { admin, database } = service;
  const team = await service.newTeam();
  const event = anEvent('customer.updated', aCustomer(team.projectId));
  await service.send(team, event);
  const counted = async () => (await admin.query('select payload_bytes from webhooks.webhook_events')).rows;
  const before = await counted();
  await admin.query('alter table webhooks.webhook_events drop column payload_bytes');
  await admin.query(`delete from webhooks.migrations where name = '0007-count-payloads'`);

  await migrate(database);
  expect(await database.schema.getUpdateSchemaSQL()).toBe('');
  expect(await counted()).toEqual(before);
  expect((await claimDue(database.em, 10)).map(({ id }) => id)).toEqual([event.id]);
});

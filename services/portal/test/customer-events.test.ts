import { expect, it } from 'vitest';
import { ProjectId } from '@billing/contracts/ids';
import { waitFor } from '@billing/testing/wait-for';
import { PortalSession } from '../src/persistence/portal-session.entity.ts';
import { startService, type Service } from './start-service.ts';

it('revokes the links of a deleted customer, also when the event repeats', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const stop = await service.consumeCustomerEvents();
  await service.publishCustomerDeleted();
  await waitFor(async () => (await service.visit(token)).statusCode === 404, { what: 'the link to be revoked' });
  const revokedAt = await revocationOf(service);

  await service.publishCustomerDeleted();
  await waitFor(async () => (await handledEvents(service)) === 2, { what: 'the second event to be handled' });
  await stop();
  expect(revokedAt).toBeInstanceOf(Date);
  expect(await revocationOf(service)).toEqual(revokedAt);
});

it('keeps the links of the same customer id in another project', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const stop = await service.consumeCustomerEvents();
  await service.publishCustomerDeleted(ProjectId.create());
  await waitFor(async () => (await handledEvents(service)) === 1, { what: 'the event to be handled' });
  await stop();
  expect((await service.visit(token)).statusCode).toBe(200);
});

async function revocationOf({ database }: Service): Promise<Date | null | undefined> {
  const [session] = await database.em.fork().findAll(PortalSession);
  return session?.revokedAt;
}

async function handledEvents({ database }: Service): Promise<number | undefined> {
  const [row] = await database.em.execute<{ count: number }[]>('select count(*)::int as count from processed_events');
  return row?.count;
}

import { expect, it } from 'vitest';
import { ProjectId } from '@billing/contracts/ids';
import { deliveredAgain } from '@billing/testing/processor-events';
import { PortalSession } from '../src/persistence/portal-session.entity.ts';
import { startService, type Service } from './start-service.ts';

it('revokes the links of a deleted customer, also when the event repeats', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  const event = service.customerDeleted();
  await service.deliver(event);
  expect((await service.visit(token)).statusCode).toBe(404);
  const revokedAt = await revocationOf(service);
  expect(revokedAt).toBeInstanceOf(Date);

  await service.deliver(event);
  await service.deliver(deliveredAgain(event));
  expect(await revocationOf(service)).toEqual(revokedAt);
});

it('revokes the links of a deleted customer over the bus', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  await service.run();
  await service.emit(service.customerDeleted());
  expect((await service.visit(token)).statusCode).toBe(404);
});

it('keeps the links of the same customer id in another project', async () => {
  await using service = await startService();
  const { token } = await service.createLink();
  await service.deliver(service.customerDeleted(ProjectId.create()));
  expect((await service.visit(token)).statusCode).toBe(200);
});

async function revocationOf({ em }: Service): Promise<Date | null | undefined> {
  const [session] = await em.fork().findAll(PortalSession);
  return session?.revokedAt;
}

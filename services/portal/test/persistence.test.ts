import { expect, it } from 'vitest';
import { deleteExpiredSessions } from '../src/jobs/delete-expired-sessions.ts';
import { PortalSession } from '../src/persistence/portal-session.entity.ts';
import { startService } from './start-service.ts';

it('has migrations that create what the entities describe', async () => {
  await using service = await startService();
  expect(await service.database.schema.getUpdateSchemaSQL()).toBe('');
});

it('deletes sessions a week after they expired', async () => {
  await using service = await startService();
  const [old, recent] = [await service.createLink(), await service.createLink()];
  const { em } = service.database;
  const expireAgo = (days: number, { sessionId }: { sessionId: string }) =>
    em.execute('update portal_sessions set expires_at = now() - make_interval(days => ?) where id = ?', [
      days,
      sessionId,
    ]);
  await expireAgo(8, old);
  await expireAgo(6, recent);
  await deleteExpiredSessions(em);
  const left = await em.fork().findAll(PortalSession);
  expect(left.map(({ id }) => id)).toEqual([recent.sessionId]);
});

import type { EntityManager } from '@mikro-orm/postgresql';

/** Deletes a batch of sessions that expired more than a week ago; until then they are kept for support. */
export async function deleteExpiredSessions(em: EntityManager, batchSize = 5_000): Promise<void> {
  await em.fork().execute(
    `delete from portal_sessions where id in (
       select id from portal_sessions where expires_at < clock_timestamp() - interval '7 days' limit ?)`,
    [batchSize],
  );
}

import type { EntityManager } from '@mikro-orm/postgresql';

/** Deletes links that expired more than a week ago; until then they can be looked into. */
export async function forgetExpired(em: EntityManager, batchSize = 5_000): Promise<void> {
  await em.fork().execute(
    `delete from portal_sessions where id in (
       select id from portal_sessions where expires_at < clock_timestamp() - interval '7 days' limit ?)`,
    [batchSize],
  );
}

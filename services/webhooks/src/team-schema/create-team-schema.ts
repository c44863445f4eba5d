import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { RAW_TABLES, teamSchemaName } from '#domain/raw-object.ts';

/**
 * Makes a team's isolated schema and its tables where they are missing; copies of the service take turns. Nothing
 * refers to it from outside, so it can be dumped or dropped alone; only this service's role may look inside.
 */
export async function createTeamSchema(em: EntityManager, teamId: TeamId): Promise<void> {
  const schema = em.getPlatform().quoteIdentifier(teamSchemaName(teamId));
  await em.fork().transactional(async tx => {
    await tx.execute(`select pg_advisory_xact_lock(hashtextextended(?, 0))`, [`team-schema/${teamId}`]);
    // Reading the catalog has this session hear of a schema that another made while it waited for the lock.
    await tx.execute(`select 1 from pg_namespace where nspname = ?`, [teamSchemaName(teamId)]);
    await tx.execute(`create schema if not exists ${schema}`);
    for (const table of RAW_TABLES) {
      await tx.execute(
        `create table if not exists ${schema}.${table} (
           id text primary key,
           data json not null,
           processor_updated_at timestamptz not null,
           deleted boolean not null
         )`,
      );
    }
  });
}

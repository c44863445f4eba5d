import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { sqlState } from '@billing/database/sql-state';
import { LRUCache } from 'lru-cache';
import { RAW_TABLES, teamSchemaName, type RawTable } from './raw-object.rules.ts';

/** PostgreSQL: `invalid_schema_name`, `undefined_table`. */
const MISSING = new Set(['3F000', '42P01']);
/** Teams whose schema a process remembers. */
const MAX_REMEMBERED = 10_000;

/** Creates schemas of teams where they are missing, before a transaction writes to them, and remembers for which it did. */
export function openTeamSchemas(em: EntityManager) {
  const existing = new LRUCache<TeamId, true>({ max: MAX_REMEMBERED });
  return {
    async ensure(teamIds: readonly TeamId[]): Promise<void> {
      for (const teamId of new Set(teamIds)) {
        if (existing.has(teamId)) continue;
        await createTeamSchema(em, teamId);
        existing.set(teamId, true);
      }
    },
    /** Whether an error says that a schema is missing after all, because somebody dropped it; `ensure` then checks again. */
    forgetAfter(err: unknown): boolean {
      if (!MISSING.has(sqlState(err) ?? '')) return false;
      existing.clear();
      return true;
    },
  };
}

/**
 * Creates a team's isolated schema and its tables where they are missing; copies of the service take turns. No foreign
 * key refers to it, so it can be dumped or dropped alone; only this service's role can read it.
 */
async function createTeamSchema(em: EntityManager, teamId: TeamId): Promise<void> {
  const name = teamSchemaName(teamId);
  const [found] = await executeBound(
    em.fork(),
    `select 1 from pg_tables where schemaname = $1 group by schemaname having count(*) >= $2`,
    [name, RAW_TABLES.length],
  );
  if (found) return;
  const schema = em.getPlatform().quoteIdentifier(name);
  await em.fork().transactional(async tx => {
    await tx.execute(`select pg_advisory_xact_lock(hashtextextended(?, 0))`, [`team-schema/${teamId}`]);
    // Reading the catalog makes this session see a schema that another one created while it waited for the lock.
    await tx.execute(`select 1 from pg_namespace where nspname = ?`, [name]);
    await tx.execute(`create schema if not exists ${schema}`);
    // With some room in each page a newer state stays in the page of the older one, and the index as it is.
    for (const table of RAW_TABLES) {
      await tx.execute(
        `create table if not exists ${schema}.${table} (
           id text primary key,
           data json not null,
           processor_updated_at timestamptz not null,
           deleted boolean not null
         ) with (fillfactor = 80)`,
      );
    }
  });
}

/** Returns objects as they were mirrored last, by their ids at Stripe. The team's schema must exist. */
export async function findMirrored(
  em: EntityManager,
  teamId: TeamId,
  table: RawTable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const schema = em.getPlatform().quoteIdentifier(teamSchemaName(teamId));
  const rows = await executeBound<{ id: string; data: Record<string, unknown> }>(
    em.fork(),
    `select id, data from ${schema}.${table} where id = any($1::text[])`,
    [ids],
    { isDynamic: true },
  );
  return new Map(rows.map(({ id, data }) => [id, data]));
}

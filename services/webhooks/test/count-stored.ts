import { IsolationLevel, type EntityManager } from '@mikro-orm/postgresql';
import { expect } from 'vitest';
import { RAW_TABLES, teamSchemaName } from '../src/pipeline/raw-object.rules.ts';
import { ROW_BYTES } from '../src/stored-bytes.ts';

const sizeOf = (table: keyof typeof ROW_BYTES, ...columns: string[]): string =>
  `sum(${[ROW_BYTES[table], ...columns.map(column => `coalesce(octet_length(${column}::text), 0)`)].join(' + ')})`;

const STORES = `
  select team_id, case when sync_id is null then 'webhook_events' else 'syncs' end as store, ${sizeOf('webhook_events', 'payload')} as bytes
    from webhook_events group by 1, 2
  union all
  select team_id, 'syncs', ${sizeOf('sync_objects', 'object', 'fields')} from sync_objects group by 1
  union all
  select team_id, tableoid::regclass::text, ${sizeOf('events', 'body')} from events group by 1, 2
  union all
  select team_id, tableoid::regclass::text, ${sizeOf('webhook_deliveries')} from webhook_deliveries group by 1, 2
  union all
  select team_id, tableoid::regclass::text, ${sizeOf('delivery_attempts', 'response_body')} from delivery_attempts group by 1, 2`;

/** A team's raw objects; a team without a schema has none. */
async function rawObjects(tx: EntityManager, teamId: string): Promise<string[]> {
  const schema = teamSchemaName(teamId as `team_${string}`); // as it was stored
  const [found] = await tx.execute<unknown[]>(`select 1 from pg_namespace where nspname = ?`, [schema]);
  return found
    ? RAW_TABLES.map(
        table => `select '${teamId}', 'raw_objects', ${sizeOf('raw_objects', 'data')} from "${schema}".${table}`,
      )
    : [];
}

/** Fails unless `stored_bytes` has, for every store of a team, exactly what is stored at one moment; of every team unless one is given. */
export async function requireCounted(em: EntityManager, teamId?: string): Promise<void> {
  await em.fork().transactional(
    async tx => {
      const teams = await tx.execute<{ id: string }[]>(`select distinct team_id as id from stored_bytes`);
      const ids = teams.map(({ id }) => id).filter(id => teamId === undefined || id === teamId);
      const parts = [STORES];
      for (const id of ids) parts.push(...(await rawObjects(tx, id)));
      const read = (from: string) =>
        tx.execute(
          `select team_id, store, sum(bytes)::float8 as bytes from ${from} where ?::text is null or team_id = ?
            group by 1, 2 having sum(bytes) <> 0 order by 1, 2`,
          [teamId ?? null, teamId ?? null],
        );
      expect(await read('stored_bytes')).toEqual(await read(`(${parts.join(' union all ')}) stored`));
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ },
  );
}

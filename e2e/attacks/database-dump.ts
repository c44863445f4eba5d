import { superuserUrl, withClient } from '../system/servers.ts';
import { finderOf } from './spellings.ts';

/** Rows that are searched at once. */
const ROWS_AT_A_TIME = 2_000;

/** A place in which a text stands. */
export interface Found {
  /** What was searched for, by the name that the test gave it. */
  readonly what: string;
  /** `schema.table.column`; the schema of a team's objects is `team`. */
  readonly column: string;
}

/** A moment of the database: the number of its next transaction. */
export type DatabaseMark = bigint;

/** Returns the current moment of the database. */
export const markDatabase = async (): Promise<DatabaseMark> =>
  withClient(await superuserUrl(), async client => {
    const { rows } = await client.query<{ next: string }>('select pg_current_xact_id()::text as next');
    return BigInt(rows[0]?.next ?? 0);
  });

/**
 * Searches every column of every table for texts, as someone with a dump of the database can: also those in binary and JSON
 * columns, in hex and in base64. Only rows written after `mark` are read.
 */
export async function findInDatabase(texts: Readonly<Record<string, string>>, mark: DatabaseMark): Promise<Found[]> {
  const find = finderOf(texts);
  return withClient(await superuserUrl(), async client => {
    const { rows: tables } = await client.query<{ name: string; label: string }>(
      `select format('%I.%I', nspname, relname) as name,
              case when nspname like 'team\\_%' then 'team' else nspname end || '.' || relname as label
         from pg_class join pg_namespace n on n.oid = relnamespace
        where relkind = 'r' and nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
        order by 1`,
    );
    const found = new Map<string, Found>();
    for (const { name, label } of tables) {
      const { rows } = await client.query<{ row: Record<string, unknown> }>(
        `select to_jsonb(of) as row from ${name} of where of.xmin::text::bigint >= $1`,
        [String(mark)],
      );
      for (let from = 0; from < rows.length; from += ROWS_AT_A_TIME) {
        const some = rows.slice(from, from + ROWS_AT_A_TIME).map(({ row }) => row);
        if (find(JSON.stringify(some)).length === 0) continue;
        for (const [column, value] of some.flatMap(row => Object.entries(row)))
          for (const what of find(typeof value === 'string' ? value : JSON.stringify(value)))
            found.set(`${what} ${label}.${column}`, { what, column: `${label}.${column}` });
      }
    }
    return [...found.values()].toSorted((a, b) => `${a.what} ${a.column}`.localeCompare(`${b.what} ${b.column}`));
  });
}

import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from './bound-statement.ts';

/**
 * A table of durable work. Its column `due_at` says when a row needs work next (null: there is nothing to do), and
 * `lease_id` who works on it. A lease moves `due_at` to its own end, so that a row whose process died is due again.
 */
export interface LeasedTable {
  readonly table: string;
  /** The columns of the primary key. */
  readonly key: readonly [string, ...string[]];
  /** How long a lease holds unless it is extended, in seconds: longer than the work on a row may take. */
  readonly leaseSeconds: number;
  /** Columns and expressions of a leased row. */
  readonly columns: string;
  /** The column that counts how often a row was leased, if any does. */
  readonly attempts?: string;
  /** Which rows come first; the longest due unless given. */
  readonly order?: string;
  /** Rows of one `team_id` in one batch. */
  readonly maxPerTeam?: number;
  /** How large the rows of one batch may be together, in bytes; a row that is larger comes alone. */
  readonly maxSize?: { readonly column: string; readonly bytes: number };
}

/** Rows that this process works on until the lease ends. */
export interface Leased<Row> {
  /** Proves who holds the rows. */
  readonly leaseId: string;
  readonly rows: readonly Row[];
}

/** Leases up to `limit` due rows, in any order. Copies of a service never get the same row. */
export async function leaseRows<Row>(em: EntityManager, leased: LeasedTable, limit: number): Promise<Leased<Row>> {
  const leaseId = randomUUID();
  const { table, leaseSeconds, columns, attempts } = leased;
  const key = leased.key.join(', ');
  const rows = await executeBound<Row>(
    em.fork(),
    `update ${table}
        set lease_id = $1, due_at = clock_timestamp() + make_interval(secs => $2)${attempts ? `, ${attempts} = ${attempts} + 1` : ''}
      where (${key}) in (${dueKeys(leased)})
      returning ${columns}`,
    [leaseId, leaseSeconds, limit],
  );
  return { leaseId, rows };
}

/** The keys of the rows to lease; `$3` is the limit. */
function dueKeys({ table, key: columns, order = 'due_at', maxPerTeam, maxSize }: LeasedTable): string {
  const key = columns.join(', ');
  const isDue = 'due_at <= clock_timestamp()';
  const inTurn =
    maxPerTeam === undefined
      ? isDue
      : `${isDue} and (${key}) in (
           select ${key}
             from (select ${key}, row_number() over (partition by team_id order by ${order}) as turn
                     from ${table} where ${isDue}) ranked
            where turn <= ${maxPerTeam} order by turn limit $3)`;
  const due = (extra: string) =>
    `select ${key}${extra} from ${table} where ${inTurn} order by ${order} limit $3 for update skip locked`;
  if (!maxSize) return due('');
  // Window functions and row locks can't stand in one select.
  return `select ${key}
            from (select ${key}, sum(size) over (order by place, ${key}) - size as size_before
                    from (${due(`, ${order} as place, ${maxSize.column} as size`)}) due) sized
           where size_before < ${maxSize.bytes}`;
}

/** The key of a row, by column name. */
export type LeasedKey = Readonly<Record<string, string>>;

/** Extends the lease of rows to `seconds` from now, and returns the keys of those that are still held. */
export function extendLease(
  em: EntityManager,
  leased: LeasedTable,
  { leaseId, keys, seconds }: { leaseId: string; keys: readonly LeasedKey[]; seconds: number },
): Promise<readonly LeasedKey[]> {
  return updateHeld(em, leased, {
    leaseId,
    keys,
    set: 'due_at = clock_timestamp() + make_interval(secs => $3::float8)',
    value: seconds,
  });
}

/** Releases rows: they are due again after so many seconds, or never. Rows that are no longer held stay as they are. */
export async function releaseLease(
  em: EntityManager,
  leased: LeasedTable,
  { leaseId, keys, dueAfterSeconds }: { leaseId: string; keys: readonly LeasedKey[]; dueAfterSeconds: number | null },
): Promise<void> {
  await updateHeld(em, leased, {
    leaseId,
    keys,
    set: 'lease_id = null, due_at = clock_timestamp() + make_interval(secs => $3::float8)',
    value: dueAfterSeconds,
  });
}

async function updateHeld(
  em: EntityManager,
  { table, key }: LeasedTable,
  held: { leaseId: string; keys: readonly LeasedKey[]; set: string; value: number | null },
): Promise<readonly LeasedKey[]> {
  if (held.keys.length === 0) return [];
  const columnsOf = (alias: string) => key.map(column => `${alias}.${column}`).join(', ');
  return executeBound<LeasedKey>(
    em,
    `update ${table} t set ${held.set}
       from json_populate_recordset(null::${table}, $1::json) k
      where (${columnsOf('t')}) = (${columnsOf('k')}) and t.lease_id = $2
      returning ${columnsOf('t')}`,
    [JSON.stringify(held.keys), held.leaseId, held.value],
  );
}

import { randomUUID } from 'node:crypto';
import { metrics, type Counter } from '@opentelemetry/api';
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
  /** Rows of one `team_id` in one batch; teams then take turns. Needs an index on `team_id, due_at` where rows are many. */
  readonly maxPerTeam?: number | TeamWindow;
  /** How large the rows of one batch may be together, in bytes; a row that is larger comes alone. */
  readonly maxSize?: { readonly column: string; readonly bytes: number };
}

/**
 * Limits how many rows of a team are worked on at the same time, by all copies of the service together. The table itself
 * counts them: rows for which `isInFlight` holds and whose `due_at` is to come. Needs an index on `due_at` of those rows.
 */
export interface TeamWindow {
  readonly ofTeam: number;
  /** Of all teams together. */
  readonly ofAll: number;
  /** Of a team, however many rows of others there are. */
  readonly least: number;
  /** A condition. */
  readonly isInFlight: string;
  /** An expression: for how many rows one counts. */
  readonly weight: string;
}

/** For how many rows the rows in flight count, by team. */
export type InFlight = ReadonlyMap<string, number>;

/** Rows that this process works on until the lease ends. */
export interface Leased<Row> {
  /** Proves who holds the rows. */
  readonly leaseId: string;
  readonly rows: readonly Row[];
}

/**
 * Leases up to `limit` due rows, in any order. Copies of a service never get the same row. In a transaction, others pass over
 * the rows until it ends; a rollback makes them due again at once. A window of teams is counted in the table, unless the
 * caller knows what is `inFlight`.
 */
export async function leaseRows<Row>(
  em: EntityManager,
  leased: LeasedTable,
  limit: number,
  inFlight?: InFlight,
): Promise<Leased<Row>> {
  const leaseId = randomUUID();
  const { table, leaseSeconds, columns, attempts, maxPerTeam, maxSize } = leased;
  // Rows are found again by their place in the table: by their keys, the planner may go through the whole table.
  const rows = await executeBound<Row>(
    em.isInTransaction() ? em : em.fork(),
    `with recursive ${maxPerTeam === undefined ? due(leased) : dueInTurn(leased, maxPerTeam, inFlight !== undefined)},
     sized as (select row_at, sum(size) over (order by place, row_at) - size as size_before from due)
     update ${table}
        set lease_id = $1, due_at = clock_timestamp() + make_interval(secs => $2)${attempts ? `, ${attempts} = ${attempts} + 1` : ''}
      where ctid = any(array(select row_at from sized where size_before < ${maxSize?.bytes ?? 1}))
      returning ${columns}`,
    [leaseId, leaseSeconds, limit, ...(inFlight ? [JSON.stringify(Object.fromEntries(inFlight))] : [])],
  );
  return { leaseId, rows };
}

/** So that an index finds the due rows: `clock_timestamp()` would be asked for every row. */
const IS_DUE = 'due_at <= statement_timestamp()';

/** Without a limit of size, rows count as having none. */
const sizeOf = ({ maxSize }: LeasedTable): string => maxSize?.column ?? '0';

/** A common table expression `due (row_at, place, size)`: up to `$3` due rows, locked; `row_at` is where a row is. */
const due = (leased: LeasedTable): string => `
    due as (
      select ctid as row_at, ${leased.order ?? 'due_at'} as place, ${sizeOf(leased)} as size from ${leased.table}
       where ${IS_DUE} order by ${leased.order ?? 'due_at'} limit $3 for update skip locked)`;

/**
 * A recursive common table expression `teams (team_id)`: the teams with rows that need work, and one null. It steps from one
 * team to the next in the index on `team_id, due_at`, so that many rows of a team cost no more than one. It orders by both
 * columns: by the team alone, PostgreSQL may take the primary key and go through every row that needs no work.
 */
export const teamsWithWork = (table: string): string => `
    teams (team_id) as (
      (select team_id from ${table} where due_at is not null order by team_id, due_at limit 1)
      union all
      select (select later.team_id from ${table} later
               where later.due_at is not null and later.team_id > teams.team_id
               order by later.team_id, later.due_at limit 1)
        from teams where teams.team_id is not null)`;

/** Rows that are counted at most: the window keeps them fewer. */
const MAX_IN_FLIGHT = 20_000;

/** A common table expression `in_flight (team_of, own)`: for how many rows the rows in flight count, by team. */
export const countInFlight = (table: string, { isInFlight, weight }: TeamWindow): string => `
    in_flight (team_of, own) as (
      select team_id, sum(weight)
        from (select team_id, ${weight} as weight from ${table}
               where due_at > statement_timestamp() and (${isInFlight}) order by due_at limit ${MAX_IN_FLIGHT}) counted
       group by team_id)`;

/** The same from what the caller knows, which is `$4`. */
const KNOWN_IN_FLIGHT = 'in_flight (team_of, own) as (select key, value::int from json_each_text($4::json))';

/** As `due`, with the first rows of each team in turn. The rows of a team cost nothing beyond those that are taken. */
function dueInTurn(leased: LeasedTable, maxPerTeam: number | TeamWindow, isKnown: boolean): string {
  const { table, order = 'due_at' } = leased;
  const weight = typeof maxPerTeam === 'number' ? '1' : maxPerTeam.weight;
  return `
    ${teamsWithWork(table)},${typeof maxPerTeam === 'number' ? sameRoom(maxPerTeam) : roomsOf(table, maxPerTeam, isKnown)},
    in_turn as (
      select row_at, turn as place, size
        from rooms cross join lateral (
               select *, sum(weight) over (order by place, row_at) as turn
                 from (select ctid as row_at, ${order} as place, ${weight} as weight, ${sizeOf(leased)} as size from ${table}
                        where team_id = room_of and ${IS_DUE} order by ${order} limit room) first) weighed
       where turn - weight < room order by turn limit $3),
    locked as (
      select ctid as row_at from ${table}
       where ctid = any(array(select row_at from in_turn)) and ${IS_DUE} for update skip locked),
    due as (select in_turn.* from in_turn join locked using (row_at))`;
}

/** A common table expression `rooms (room_of, room)`: how many more rows of each team with work may be leased. */
const sameRoom = (room: number): string => `
    rooms as (select team_id as room_of, ${room} as room from teams where team_id is not null)`;

/** The same where the window of each team limits it. */
const roomsOf = (table: string, window: TeamWindow, isKnown: boolean): string => `
    ${isKnown ? KNOWN_IN_FLIGHT : countInFlight(table, window)},
    all_in_flight (total) as (select coalesce(sum(own), 0) from in_flight),
    rooms as (
      select team_id as room_of,
             greatest(least(${window.ofTeam} - coalesce(own, 0), ${window.ofAll} - total), ${window.least} - coalesce(own, 0), 0)::int as room
        from teams left join in_flight on team_of = team_id cross join all_in_flight where team_id is not null)`;

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

/**
 * Releases rows: they are due again after so many seconds, or never. Rows that are no longer held stay as they are. Returns the
 * keys of those that were held.
 */
export function releaseLease(
  em: EntityManager,
  leased: LeasedTable,
  { leaseId, keys, dueAfterSeconds }: { leaseId: string; keys: readonly LeasedKey[]; dueAfterSeconds: number | null },
): Promise<readonly LeasedKey[]> {
  return updateHeld(em, leased, {
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
  const stillHeld = await executeBound<LeasedKey>(
    em,
    `update ${table} t set ${held.set}
       from json_populate_recordset(null::${table}, $1::json) k
      where (${columnsOf('t')}) = (${columnsOf('k')}) and t.lease_id = $2
      returning ${columnsOf('t')}`,
    [JSON.stringify(held.keys), held.leaseId, held.value],
  );
  countExpired(table, held.keys.length - stillHeld.length);
  return stillHeld;
}

let expired: Counter | undefined;

/** Counts leases that ended before the work on their rows did: somebody else may have done it meanwhile. */
function countExpired(table: string, count: number): void {
  expired ??= metrics.getMeter('billing.database').createCounter('billing.leases.expired', {
    description: 'Leases that ended before the work on their rows did.',
  });
  expired.add(count, { table });
}

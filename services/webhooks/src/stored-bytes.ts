import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';

/** What a row takes in its table and its indexes beside what it carries, in bytes. */
export const ROW_BYTES = {
  webhook_events: 1_000,
  raw_objects: 200,
  sync_objects: 700,
  events: 600,
  webhook_deliveries: 800,
  delivery_attempts: 300,
} as const;

/**
 * A statement that adds rows `(team_id, store, bytes)` of a common table expression to what is stored of teams; what is deleted
 * counts below zero. A store is a table, a day of one (`partitionOf`), `raw_objects`: all tables of a team's schema, or `syncs`:
 * all rows of syncs, wherever they are. Run it last: it locks its rows in one order, and two transactions never wait for each
 * other in a circle.
 */
export const countBytes = (rows: string): string => `
  insert into stored_bytes as known (team_id, store, bytes)
  select team_id, store, sum(bytes) from ${rows} group by team_id, store having sum(bytes) <> 0
   order by team_id collate "C", store collate "C"
  on conflict (team_id, store) do update set bytes = greatest(known.bytes + excluded.bytes, 0)`;

/** An expression: the partition for the day of a time, as `partitions.ts` names it. */
export const partitionOf = (table: string, time: string): string =>
  `'${table}_' || to_char(${time} at time zone 'UTC', 'YYYYMMDD')`;

/** An expression: 1 for a row that goes last, since it can be replayed. It is that of the index of rows with a payload. */
export const IS_FAILED = `(case status when 'failed' then 1 else 0 end)`;

/**
 * Common table expressions `deleted` and `counted`: the payloads of the rows of `webhook_events` that a query finds by their
 * `ctid` are deleted. What has no payload any more can't be processed, and waits for nothing.
 */
export const deletedPayloads = (rows: string): string => `
  deleted as (
    update webhook_events set payload = null, waiting_for = null
     where ctid = any(array(${rows})) and payload is not null and status <> 'received'
    returning team_id, 'webhook_events' as store, -payload_bytes as bytes),
  counted as (${countBytes('deleted')})`;

/** The same for records of events whose payload is gone. */
export const deletedRecords = (rows: string): string => `
  deleted as (
    delete from webhook_events where ctid = any(array(${rows})) and payload is null
    returning team_id, 'webhook_events' as store, -${ROW_BYTES.webhook_events} as bytes),
  counted as (${countBytes('deleted')})`;

/** Stripe neither sends nor lists an event that is older, in days: until then its record keeps it from being stored again. */
export const REPEATABLE_DAYS = 35;

/** What a team stores in all stores together, in bytes. */
export async function readStoredBytes(em: EntityManager, teamId: string): Promise<number> {
  const [row] = await executeBound<{ bytes: number }>(
    em,
    `select coalesce(sum(bytes), 0)::float8 as bytes from stored_bytes where team_id = $1`,
    [teamId],
  );
  return row?.bytes ?? 0;
}

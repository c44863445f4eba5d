import type { Client } from 'pg';

/** A contiguous range of the generated events; ids sort by number. */
export interface EventRange {
  readonly teamId: string;
  readonly firstId: string;
  readonly lastId: string;
  readonly count: number;
}

/** How the events of one round were applied. */
export interface Applied {
  /** When the last event was processed, in milliseconds since 1970. */
  readonly endedAt: number;
  /** From storing an event until it was processed, in milliseconds. */
  readonly latencies: readonly number[];
}

/**
 * Returns whether every event of the range is completed. Uses SQL because polling the API would add load to what is
 * measured. Checks the last event first, which needs only the primary key.
 */
export async function areCompleted(database: Client, range: EventRange): Promise<boolean> {
  const { teamId, firstId, lastId, count } = range;
  const completed = `from webhooks.webhook_events where team_id = $1 and status <> 'received'`;
  if ((await database.query(`select 1 ${completed} and id = $2`, [teamId, lastId])).rowCount === 0) return false;
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int as count ${completed} and id between $2 and $3`,
    [teamId, firstId, lastId],
  );
  return rows[0]?.count === count;
}

/**
 * Reads when the events of the range were processed.
 * @throws Error when one failed
 */
export async function readApplied(database: Client, { teamId, firstId, lastId }: EventRange): Promise<Applied> {
  const { rows } = await database.query<{ status: string; processed_ms: number; took_ms: number }>(
    `select status, extract(epoch from processed_at)::float8 * 1000 as processed_ms,
            extract(epoch from processed_at - received_at)::float8 * 1000 as took_ms
       from webhooks.webhook_events where team_id = $1 and id between $2 and $3`,
    [teamId, firstId, lastId],
  );
  const failed = rows.filter(row => row.status !== 'processed').length;
  if (failed > 0) throw new Error(`${failed} of ${rows.length} events failed.`);
  return {
    endedAt: rows.reduce((latest, row) => Math.max(latest, row.processed_ms), 0),
    latencies: rows.map(row => row.took_ms),
  };
}

import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import type { Logger } from 'pino';

/** Rows that are kept for a while, of each team only so many. Needs an index on `team_id` and the order, of these rows. */
interface KeptRows {
  readonly table: string;
  /** A condition: which rows are kept, and may go. */
  readonly isKept: string;
  /** A column: the oldest rows go first. */
  readonly order: string;
  readonly orderType: 'bigint' | 'timestamptz';
  /** The column that is large. */
  readonly content: string;
  /** What the rows of one team may take, in bytes. */
  readonly maxBytes: number;
}

/** Messages that are published, for the case that NATS loses them: a sixteenth of the stream a team. */
export const PUBLISHED: KeptRows = {
  table: 'outbox_messages',
  isKept: 'published_at is not null',
  order: 'sequence',
  orderType: 'bigint',
  content: 'body',
  maxBytes: 512 * 1_048_576,
};

/** Events that failed for good: one of Stripe's can still be replayed from its webhook event. */
export const DEAD_LETTERS: KeptRows = {
  table: 'dead_letters',
  isKept: 'dead_lettered_at is not null',
  order: 'dead_lettered_at',
  orderType: 'timestamptz',
  content: 'event',
  maxBytes: 256 * 1_048_576,
};

/** A row takes more than its content, with its indexes. */
const ROW_BYTES = 512;
/** The rows of a team are trimmed when a process has added so much of what they may take. */
const TRIM_EVERY = 1 / 8;
const BATCH = 2_000;
/** Teams that are counted at the same time; most have next to nothing. */
const MAX_TEAMS = 100_000;

/**
 * Counts what is added to a team's rows, and deletes the oldest of a team that has too much. So a team may have what
 * `maxBytes` says, and an eighth more from each process.
 */
export function openTrimming(em: EntityManager, rows: KeptRows, logger: Logger) {
  let added = new Map<string, number>();

  return {
    add(teamId: string, bytes: number): void {
      added.set(teamId, (added.get(teamId) ?? 0) + bytes + ROW_BYTES);
    },
    /** Trims the teams of which enough was added; one that fails is tried the next time. */
    async run(): Promise<void> {
      const full = [...added].filter(([, bytes]) => bytes > rows.maxBytes * TRIM_EVERY);
      for (const [teamId] of full) {
        try {
          const deleted = await trimTeamRows(em, rows, teamId);
          added.delete(teamId);
          if (deleted > 0) logger.warn({ teamId, table: rows.table, deleted }, 'oldest rows of a team deleted');
        } catch (err) {
          logger.warn({ err, teamId, table: rows.table }, 'rows of a team not trimmed, will try again');
        }
      }
      if (added.size > MAX_TEAMS) added = new Map();
    },
  };
}

/** Deletes the oldest rows of a team beyond what it may have; returns how many. */
export async function trimTeamRows(
  em: EntityManager,
  { table, isKept, order, orderType, content, maxBytes }: KeptRows,
  teamId: string,
): Promise<number> {
  // From the newest on, until there is too much: the rest is not read.
  const [bound] = await executeBound<{ bound: string }>(
    em.fork(),
    `select ${order}::text as bound
       from (select ${order}, sum(pg_column_size(${content}) + ${ROW_BYTES})
                                over (order by ${order} desc rows unbounded preceding) as bytes
               from ${table} where team_id = $1 and ${isKept}) kept
      where bytes > $2 limit 1`,
    [teamId, maxBytes],
  );
  if (!bound) return 0;
  let deleted = 0;
  for (let count = BATCH; count === BATCH; deleted += count) {
    const rows = await executeBound(
      em.fork(),
      `delete from ${table} where ctid = any(array(
         select ctid from ${table} where team_id = $1 and ${isKept} and ${order} <= $2::${orderType}
          order by ${order} limit ${BATCH}))
       returning 1`,
      [teamId, bound.bound],
    );
    count = rows.length;
  }
  return deleted;
}

import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import type { Logger } from 'pino';
import { takeFromTotals } from '#persistence/payload-totals.ts';

/** How often to look for teams with too much, in milliseconds: what comes meanwhile is limited by the rate of a team. */
const INTERVAL_MS = 2_000;
/** Rows per statement. */
const BATCH = 500;
/** What goes first, and what only when nothing else is left: failed events can be replayed with their payload. */
const IN_TURN = [`status in ('processed', 'ignored')`, `status = 'failed'`] as const;

interface QuotaParts {
  readonly em: EntityManager;
  /** Of the payloads of one team. */
  readonly quotaBytes: number;
  readonly logger: Logger;
}

/**
 * Keeps what each team stores below its quota: the oldest payloads of handled events go. A team that has more waiting than
 * its quota is full: what it sends should wait, and nothing else.
 */
export function openPayloadQuota({ em, quotaBytes, logger }: QuotaParts) {
  let full: ReadonlySet<string> = new Set();
  let running: Promise<void> | undefined;

  const findOver = async (teamId: string | null): Promise<string[]> => {
    const rows = await executeBound<{ team_id: string }>(
      em.fork(),
      `select team_id from payload_totals where bytes > $1 and ($2::text is null or team_id = $2)`,
      [quotaBytes, teamId],
    );
    return rows.map(({ team_id: id }) => id);
  };
  const makeRoom = async (teamId: string): Promise<void> => {
    for (const which of IN_TURN)
      while ((await findOver(teamId)).length > 0) if ((await deleteOldest(em, teamId, which, quotaBytes)) === 0) break;
  };
  const run = async (): Promise<void> => {
    for (const teamId of await findOver(null)) await makeRoom(teamId);
    const stillOver = await findOver(null);
    for (const teamId of stillOver)
      if (!full.has(teamId))
        logger.warn({ teamId, quotaBytes }, 'payloads of a team fill its quota, its webhooks are paused');
    full = new Set(stillOver);
  };

  return {
    /** As of the last look. */
    isFull: (teamId: string): boolean => full.has(teamId),
    /** Returns a function that stops it after the look under way. */
    start(): () => Promise<void> {
      const timer = setInterval(() => {
        running ??= run()
          .catch((err: unknown) => logger.warn({ err }, 'payloads not counted, will try again'))
          .finally(() => (running = undefined));
      }, INTERVAL_MS);
      return async () => {
        clearInterval(timer);
        await running;
      };
    },
  };
}

/** Deletes the oldest payloads of a team that are too much, as far as a statement goes; returns of how many events. */
async function deleteOldest(em: EntityManager, teamId: string, which: string, quotaBytes: number): Promise<number> {
  const [row] = await executeBound<{ count: number }>(
    em.fork(),
    `with first as (
       select ctid as row_at, received_at, payload_bytes from webhook_events
        where team_id = $1 and payload is not null and status <> 'received' and sync_id is null and ${which}
        order by received_at limit ${BATCH}),
     summed as (
       select row_at, sum(payload_bytes) over (order by received_at, row_at) - payload_bytes as bytes_before from first),
     deleted as (
       update webhook_events set payload = null, waiting_for = null
        where ctid = any(array(select row_at from summed
                                where bytes_before < (select bytes - $2 from payload_totals where team_id = $1)))
          and payload is not null and ${which}
       returning team_id, payload_bytes, sync_id),
     counted as (${takeFromTotals('deleted')})
     select count(*)::int as count from deleted`,
    [teamId, quotaBytes],
  );
  return row?.count ?? 0;
}

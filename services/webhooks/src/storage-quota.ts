import type { EntityManager } from '@mikro-orm/postgresql';
import { Problem } from '@billing/contracts/problem';
import { executeBound } from '@billing/database/bound-statement';
import type { Gauge } from '@billing/service/gauges';
import type { Logger } from 'pino';
import { LITTLE_ROOM } from '#accounts/connection-health.rules';
import { deletedPayloads, deletedRecords, IS_FAILED, readStoredBytes, REPEATABLE_DAYS } from './stored-bytes.ts';

/** How often room is made for teams that have little, in milliseconds: what comes meanwhile is limited by the rate of a team. */
const INTERVAL_MS = 2_000;
/** Room is made within seconds where there is something that may go; else somebody has to act. */
const RETRY_AFTER_SECONDS = 60;
/** Rows per statement. */
const BATCH = 500;
/** Statements for one team before the next one has its turn. */
const BATCHES_PER_TURN = 20;
/** Teams that are named; more would make too many series. */
const NAMED_TEAMS = 10;

interface QuotaParts {
  readonly em: EntityManager;
  /** Of everything that this service stores of one team. */
  readonly quotaBytes: number;
  readonly logger: Logger;
}

export type StorageQuota = ReturnType<typeof openStorageQuota>;

/**
 * Keeps what each team stores below its quota. Where little room is left the oldest payloads of handled events go, those of failed
 * ones after them, then records of events that Stripe can't send again. A team for which that is not enough is full: what is sent
 * for it waits at Stripe, and nobody else notices. It looks only at teams that somebody has noted.
 */
export function openStorageQuota({ em, quotaBytes, logger }: QuotaParts) {
  /** What teams store that have little room, as of the last look. */
  const crowded = new Map<string, number>();
  let running: Promise<void> | undefined;

  const isFull = (teamId: string): boolean => (crowded.get(teamId) ?? 0) >= quotaBytes;
  const note = (teamId: string, bytes: number): void => {
    const wasFull = isFull(teamId);
    // Before it is full, so that a burst finds some room.
    if (bytes > LITTLE_ROOM * quotaBytes) crowded.set(teamId, bytes);
    else crowded.delete(teamId);
    if (!wasFull && isFull(teamId)) logger.warn({ teamId, bytes, quotaBytes }, 'a team stores all that it may');
  };
  const makeRoom = async (teamId: string): Promise<void> => {
    for (const deleteOldest of [deletePayloads, deleteRecords])
      for (let batch = 0; batch < BATCHES_PER_TURN; batch += 1)
        if ((await deleteOldest(em, teamId, LITTLE_ROOM * quotaBytes)) === 0) break;
    note(teamId, await readStoredBytes(em.fork(), teamId));
  };
  const run = async (): Promise<void> => {
    const teams = Array.from(crowded.keys());
    for (const teamId of teams) await makeRoom(teamId);
  };

  return {
    bytes: quotaBytes,
    /** As of the last look. */
    isFull,
    /** Takes in how many bytes a team stores. */
    note,
    gauge: {
      name: 'billing.storage.used',
      description: `Which part of its quota a team stores, of the ${NAMED_TEAMS} teams with the least room; none with more than a tenth.`,
      read: async () => {
        const fullest = [...crowded].toSorted(([, a], [, b]) => b - a).slice(0, NAMED_TEAMS);
        return fullest.map(([team, bytes]) => ({ value: bytes / quotaBytes, attributes: { 'billing.team.id': team } }));
      },
    } satisfies Gauge,
    /** Returns a function that stops it after the look under way. */
    start(): () => Promise<void> {
      const timer = setInterval(() => {
        running ??= run()
          .catch((err: unknown) => logger.warn({ err }, 'no room made for teams, will try again'))
          .finally(() => (running = undefined));
      }, INTERVAL_MS);
      return async () => {
        clearInterval(timer);
        await running;
      };
    },
  };
}

/** The 429 for what a team would store that stores all that it may. Nothing was stored. */
export const storageFull = (): Problem =>
  new Problem('rate_limited', 'rate_limited', 'The team stores as many bytes as it may; try again later.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/** Deletes the oldest payloads of a team that are above `limit`, as far as a statement goes; returns of how many events. */
async function deletePayloads(em: EntityManager, teamId: string, limit: number): Promise<number> {
  const [row] = await executeBound<{ count: number }>(
    em.fork(),
    `with first as (
       select ctid as row_at, ${IS_FAILED} as is_failed, received_at, payload_bytes from webhook_events
        where team_id = $1 and payload is not null and status <> 'received' and sync_id is null
        order by ${IS_FAILED}, received_at limit ${BATCH}),
     summed as (
       select row_at, sum(payload_bytes) over (order by is_failed, received_at, row_at) - payload_bytes as bytes_before from first),
     ${deletedPayloads(`select row_at from summed where bytes_before < ${EXCESS}`)}
     select count(*)::int as count from deleted`,
    [teamId, limit],
  );
  return row?.count ?? 0;
}

/** Deletes old records of a team that is above `limit`, as `deletePayloads` does. */
async function deleteRecords(em: EntityManager, teamId: string, limit: number): Promise<number> {
  const [row] = await executeBound<{ count: number }>(
    em.fork(),
    `with first as (
       select ctid as row_at from webhook_events
        where team_id = $1 and payload is null and received_at < now() - interval '${REPEATABLE_DAYS} days'
        limit case when ${EXCESS} > 0 then ${BATCH} else 0 end),
     ${deletedRecords('select row_at from first')}
     select count(*)::int as count from deleted`,
    [teamId, limit],
  );
  return row?.count ?? 0;
}

/** By how much a team is above a limit. */
const EXCESS = `(select coalesce(sum(bytes), 0) - $2 from stored_bytes where team_id = $1)`;

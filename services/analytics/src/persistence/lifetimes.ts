import type { EntityManager } from '@mikro-orm/postgresql';
import { endOfHour, hourOf } from '#domain/utc-day.ts';
import type { Window } from '#domain/window.ts';
import type { GenerationScope } from './projects.ts';

/** What hourly metrics can't give: lifetimes in the rest of the window's first hour, and those that end after now. */
export interface WindowEdgeCounts {
  readonly started: bigint;
  readonly ended: bigint;
  readonly startedAndEnded: bigint;
  /** Recorded with an end at or after now. */
  readonly endingLater: bigint;
  /** Of those, the ones that started inside the window. */
  readonly startedAndEndingLater: bigint;
}

type Row = Readonly<Record<keyof WindowEdgeCounts, string>>;

/** Counts the subscriptions at the edges of a window by index; it reads those of one hour at most. */
export async function countAtWindowEdges(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  { start, now }: Window,
): Promise<WindowEdgeCounts> {
  const edges = [start.toISOString(), endOfHour(hourOf(start)).toISOString()];
  const scope = [teamId, projectId, generation];
  const inScope = 'team_id = ? and project_id = ? and generation = ?';
  const [row] = await em.execute<Row[]>(
    `with started as (
       select count(*) as started, count(ended_at) as started_and_ended from tracked_records
        where ${inScope} and started_at > ?::timestamptz and started_at < ?::timestamptz),
     ended as (
       select count(*) as ended from tracked_records
        where ${inScope} and ended_at > ?::timestamptz and ended_at < ?::timestamptz),
     ending as (
       select count(*) as ending_later, count(*) filter (where started_at > ?::timestamptz) as started_and_ending_later
         from tracked_records where ${inScope} and ended_at >= ?::timestamptz)
     select started, started_and_ended as "startedAndEnded", ended,
            ending_later as "endingLater", started_and_ending_later as "startedAndEndingLater"
       from started, ended, ending`,
    [...scope, ...edges, ...scope, ...edges, start.toISOString(), ...scope, now.toISOString()],
  );
  if (!row) throw new Error('PostgreSQL returned no row for a select of counts.');
  return {
    started: BigInt(row.started),
    ended: BigInt(row.ended),
    startedAndEnded: BigInt(row.startedAndEnded),
    endingLater: BigInt(row.endingLater),
    startedAndEndingLater: BigInt(row.startedAndEndingLater),
  };
}

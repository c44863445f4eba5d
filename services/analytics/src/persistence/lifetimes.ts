import type { EntityManager } from '@mikro-orm/postgresql';
import { endOfHour, hourOf } from '#domain/utc-day.ts';
import type { Window } from '#domain/window.ts';
import type { GenerationScope } from './figures.ts';

/** What whole hours cannot tell about a window: the rest of its first hour, and what is said to end later than now. */
export interface PartialCounts {
  readonly began: bigint;
  readonly ended: bigint;
  readonly beganAndEnded: bigint;
  readonly endingLater: bigint;
  /** Of those ending later, the ones that began inside the window. */
  readonly beganAndEndingLater: bigint;
}

type Row = Readonly<Record<keyof PartialCounts, string>>;

/** Counts by index the subscriptions at the edges of a window; at most those of one hour. */
export async function countAtEdges(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  { start, now }: Window,
): Promise<PartialCounts> {
  const edges = [start.toISOString(), endOfHour(hourOf(start)).toISOString()];
  const scope = [teamId, projectId, generation];
  const inScope = 'team_id = ? and project_id = ? and generation = ?';
  const [row] = await em.execute<Row[]>(
    `with begun as (
       select count(*) as began, count(ended_at) as began_and_ended from subjects
        where ${inScope} and began_at > ?::timestamptz and began_at < ?::timestamptz),
     ended as (
       select count(*) as ended from subjects
        where ${inScope} and ended_at > ?::timestamptz and ended_at < ?::timestamptz),
     ending as (
       select count(*) as ending_later, count(*) filter (where began_at > ?::timestamptz) as began_and_ending_later
         from subjects where ${inScope} and ended_at >= ?::timestamptz)
     select began, began_and_ended as "beganAndEnded", ended,
            ending_later as "endingLater", began_and_ending_later as "beganAndEndingLater"
       from begun, ended, ending`,
    [...scope, ...edges, ...scope, ...edges, start.toISOString(), ...scope, now.toISOString()],
  );
  if (!row) throw new Error('PostgreSQL answered no row to a select of counts.');
  return {
    began: BigInt(row.began),
    ended: BigInt(row.ended),
    beganAndEnded: BigInt(row.beganAndEnded),
    endingLater: BigInt(row.endingLater),
    beganAndEndingLater: BigInt(row.beganAndEndingLater),
  };
}

import type { EntityManager } from '@mikro-orm/postgresql';
import { teamsWithWork } from '@billing/database/lease-rows';
import type { Logger } from 'pino';

/** The events must have drained to this share of the mark before they count as drained. */
const LOW_WATER = 0.8;
/** The part of the mark that the waiting events of one team may take. */
const TEAM_SHARE = 0.75;

interface BackPressureOptions {
  /** Unpublished events; with more of them the service is overloaded. */
  readonly highWater: number;
  /**
   * Tables beside the outbox whose rows with a `due_at` count too: events of teams that are published from there. Each needs an
   * index on `team_id, due_at` of these rows.
   */
  readonly tables?: readonly string[];
  /** How often to count, in milliseconds. */
  readonly intervalMs?: number;
  readonly logger: Logger;
}

/** Whether too many events wait to be published. */
export interface BackPressure {
  /** As of the last count; false before the first. */
  readonly isOverloaded: () => boolean;
  /** Whether one team alone has too many events in the tables beside the outbox: what it sends should wait, and nothing else. */
  readonly isTeamOverloaded: (teamId: string) => boolean;
  /** Counts now; fulfilled when it is done, even if it failed. */
  readonly count: () => Promise<void>;
  /** Stops counting; fulfilled when the count under way has ended. */
  readonly close: () => Promise<void>;
}

/**
 * Counts the unpublished events of a service until closed, no further than it must. It is overloaded above `highWater`,
 * until they have drained to 80 % of that. One team alone can't overload it: beyond three quarters of the mark its events
 * count for that team only. While the database is unavailable the last result stays.
 */
export function watchBackPressure(
  em: EntityManager,
  { highWater, tables = [], intervalMs = 1_000, logger }: BackPressureOptions,
): BackPressure {
  const share = Math.floor(highWater * TEAM_SHARE);
  const low = (mark: number) => Math.floor(mark * LOW_WATER);
  let isOverloaded = false;
  let overloadedTeams: ReadonlySet<string> = new Set();
  let hasFailed = false;
  let counting: Promise<void> | undefined;

  const countOnce = async (): Promise<void> => {
    const mark = isOverloaded ? low(highWater) : highWater;
    const waiting = await countWaiting(em, tables, highWater);
    hasFailed = false;
    const counts = [...waiting.ofTeams];
    const isTeamAbove = ([teamId, count]: readonly [string, number]) =>
      count > (overloadedTeams.has(teamId) ? low(share) : share);
    const teams = counts.filter(isTeamAbove).map(([teamId]) => teamId);
    for (const teamId of teams)
      if (!overloadedTeams.has(teamId))
        logger.warn({ teamId, share }, 'too many events of a team wait, its webhooks are paused');
    overloadedTeams = new Set(teams);
    const isAbove = counts.reduce((sum, [, count]) => sum + Math.min(count, share), waiting.outbox) > mark;
    if (isAbove === isOverloaded) return;
    isOverloaded = isAbove;
    if (isOverloaded) logger.warn({ highWater }, 'outbox overloaded, writes are paused until it has drained');
    else logger.info({ highWater }, 'outbox drained, writes resume');
  };
  const count = (): Promise<void> => {
    counting ??= countOnce()
      .catch((err: unknown) => {
        if (!hasFailed) logger.warn({ err }, 'outbox not counted, will try again');
        hasFailed = true;
      })
      .finally(() => (counting = undefined));
    return counting;
  };
  void count();
  const timer = setInterval(() => void count(), intervalMs);

  return {
    isOverloaded: () => isOverloaded,
    isTeamOverloaded: teamId => overloadedTeams.has(teamId),
    count,
    async close() {
      clearInterval(timer);
      await counting;
    },
  };
}

/**
 * Counts what waits in the outbox, and of each team in the other tables; of each no further than one above the mark. Reads in
 * the order of the indexes of rows that wait: otherwise PostgreSQL may go through all rows, as long as it believes that most
 * of them wait.
 */
async function countWaiting(em: EntityManager, tables: readonly string[], highWater: number) {
  const upTo = highWater + 1;
  const [outbox] = await em
    .fork()
    .execute<{ count: number }[]>(
      `select count(*)::int as count from (select from outbox_events where due_at is not null order by sequence limit ?) unpublished`,
      [upTo],
    );
  const ofTeams = new Map<string, number>();
  for (const table of tables) {
    const rows = await em.fork().execute<{ team_id: string; count: number }[]>(
      `with recursive ${teamsWithWork(table)}
       select teams.team_id, waiting.count
         from teams cross join lateral (
                select count(*)::int as count
                  from (select from ${table} t where t.team_id = teams.team_id and t.due_at is not null
                         order by t.due_at limit ?) unpublished
              ) waiting
        where teams.team_id is not null`,
      [upTo],
    );
    for (const row of rows) ofTeams.set(row.team_id, (ofTeams.get(row.team_id) ?? 0) + row.count);
  }
  return { outbox: outbox?.count ?? 0, ofTeams };
}

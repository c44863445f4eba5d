import type { EntityManager } from '@mikro-orm/postgresql';
import { teamsWithWork } from '@billing/database/lease-rows';
import type { Logger } from 'pino';

/** The events must have drained to this part of the mark before they count as drained. */
const LOW_WATER = 0.8;
/** The part of the mark that the waiting events of one team may take. */
const TEAM_SHARE = 0.75;
/** A message counts as its events, or once for so many bytes: a mark of 100,000 is 800 MiB too. */
const BYTES_OF_EVENT = 8_192;

interface BackPressureOptions {
  /** Unpublished events, large ones as several; with more of them the service is overloaded. */
  readonly highWater: number;
  /**
   * Tables beside the outbox whose rows with a `due_at` count too: events of teams that are published from there. Each needs an
   * index on `team_id, due_at` of these rows.
   */
  readonly tables?: readonly string[];
  /** How old a count may be that is returned, in milliseconds. */
  readonly intervalMs?: number;
  readonly logger: Logger;
}

/** Whether too many events wait to be published. */
export interface BackPressure {
  /** As of the last count; false before the first. An old one is followed by another, for the next call. */
  readonly isOverloaded: () => boolean;
  /** Whether one team alone has too many events: what it writes and sends should wait, and nothing else. */
  readonly isTeamOverloaded: (teamId: string) => boolean;
  /** Counts now; fulfilled when it is done, even if it failed. */
  readonly count: () => Promise<void>;
  /** Stops counting; fulfilled when the count under way has ended. */
  readonly close: () => Promise<void>;
}

/**
 * Counts the unpublished events of a service for its callers, and while there are too many, no further than it must. It is
 * overloaded above `highWater`, until they have drained to 80 % of that. One team alone can't overload it: beyond three quarters of
 * the mark its events count for that team only. While the database is unavailable the last result stays.
 */
export function watchBackPressure(
  em: EntityManager,
  { highWater, tables = [], intervalMs = 1_000, logger }: BackPressureOptions,
): BackPressure {
  const share = Math.max(1, Math.floor(highWater * TEAM_SHARE));
  const low = (mark: number) => Math.floor(mark * LOW_WATER);
  let isOverloaded = false;
  let overloadedTeams: ReadonlySet<string> = new Set();
  let hasFailed = false;
  let counting: Promise<void> | undefined;
  let countedAt = -Infinity;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

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
        logger.warn({ teamId, share }, 'too many events of a team wait, its writes and webhooks are paused');
    overloadedTeams = new Set(teams);
    const isAbove = waiting.isCut || counts.reduce((sum, [, count]) => sum + Math.min(count, share), 0) > mark;
    if (isAbove === isOverloaded) return;
    isOverloaded = isAbove;
    if (isOverloaded) logger.warn({ highWater }, 'outbox overloaded, writes are paused until it has drained');
    else logger.info({ highWater }, 'outbox drained, writes resume');
  };
  const count = (): Promise<void> => {
    clearTimeout(timer);
    countedAt = performance.now();
    counting ??= countOnce()
      .catch((err: unknown) => {
        if (!hasFailed) logger.warn({ err }, 'outbox not counted, will try again');
        hasFailed = true;
      })
      .finally(() => {
        counting = undefined;
        // Nobody should be refused for what has drained since the last call.
        if ((isOverloaded || overloadedTeams.size > 0) && !isClosed) timer = setTimeout(() => void count(), intervalMs);
      });
    return counting;
  };
  const countAgain = (): void => {
    if (performance.now() - countedAt >= intervalMs) void count();
  };
  void count();

  return {
    isOverloaded: () => (countAgain(), isOverloaded),
    isTeamOverloaded: teamId => (countAgain(), overloadedTeams.has(teamId)),
    count,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await counting;
    },
  };
}

/**
 * Counts what waits of each team, in the outbox and in the other tables; of each table no further than one above the mark, and of
 * the outbox twice as far, since one team may have more than its share there; `isCut` if there is yet more. Reads in the order of
 * the indexes of rows that wait: otherwise PostgreSQL may go through all rows, as long as it believes that most of them wait.
 */
async function countWaiting(em: EntityManager, tables: readonly string[], highWater: number) {
  const upTo = highWater + 1;
  const outbox = await em.fork().execute<{ team_id: string; count: number; rows: number }[]>(
    `select team_id, sum(greatest(events, octet_length(body) / ${BYTES_OF_EVENT}))::int as count, count(*)::int as rows
       from (select team_id, events, body from outbox_messages where due_at is not null order by sequence limit ?) unpublished
      group by team_id`,
    [2 * upTo],
  );
  const ofTeams = new Map(outbox.map(({ team_id: teamId, count }) => [teamId, count]));
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
  return { ofTeams, isCut: outbox.reduce((sum, { rows }) => sum + rows, 0) === 2 * upTo };
}

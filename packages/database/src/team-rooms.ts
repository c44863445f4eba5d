import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from './bound-statement.ts';
import { countInFlight, type InFlight, type TeamWindow } from './lease-rows.ts';

/** How often the table is counted at most, in milliseconds: a count reads every row in flight. */
const HOLDS_MS = 1_000;

/** How much room the window of each team has, as far as this process knows. */
export interface TeamRooms {
  /** Counts what is in flight in the table, unless that was done a moment ago, or all that was in flight is known to be done. */
  readonly refresh: () => Promise<void>;
  /** What counts as in flight, by team. */
  readonly inFlight: InFlight;
  /** Whether there is room for one more row of the team; then so many count as taken. */
  readonly take: (teamId: string, weight?: number) => boolean;
  /** Counts rows that were leased without asking for room. */
  readonly add: (teamId: string, weight: number) => void;
  /** Rows are in flight no more. */
  readonly free: (teamId: string, weight?: number) => void;
}

/**
 * Keeps count of the window of a table's teams. Between two counts of the table a process adds what it leases and subtracts
 * what it knows to be done, by whichever copy of the service. The table has the truth: what other copies do is known with the next
 * count, and until then they may exceed the window by what they lease meanwhile. `now` is a monotonic clock in milliseconds.
 */
export function openTeamRooms(
  em: EntityManager,
  table: string,
  window: TeamWindow,
  now: () => number = () => performance.now(),
): TeamRooms {
  let own = new Map<string, number>();
  /** Since the count that is running began: it may not have seen them. */
  let addedMeanwhile = new Map<string, number>();
  let total = 0;
  let countedAt = -Infinity;
  let counting: Promise<void> | undefined;

  const change = (teamId: string, by: number): void => {
    const before = own.get(teamId) ?? 0;
    const after = Math.max(before + by, 0);
    total += after - before;
    if (after > 0) own.set(teamId, after);
    else own.delete(teamId);
  };
  const add = (teamId: string, weight: number): void => {
    change(teamId, weight);
    if (counting) addedMeanwhile.set(teamId, (addedMeanwhile.get(teamId) ?? 0) + weight);
  };

  const count = async (): Promise<void> => {
    addedMeanwhile = new Map();
    const rows = await executeBound<{ team_of: string; own: number }>(
      em.fork(),
      `with ${countInFlight(table, window)} select team_of, own::int as own from in_flight`,
      [],
    );
    own = new Map(rows.map(row => [row.team_of, row.own]));
    total = rows.reduce((sum, row) => sum + row.own, 0);
    for (const [teamId, weight] of addedMeanwhile) change(teamId, weight);
    countedAt = now();
  };

  return {
    async refresh() {
      const isKnown = total === 0 && countedAt > -Infinity;
      if (isKnown || now() - countedAt < HOLDS_MS) return;
      counting ??= count().finally(() => (counting = undefined));
      await counting;
    },
    get inFlight() {
      return own;
    },
    take(teamId, weight = 1) {
      const taken = own.get(teamId) ?? 0;
      if (Math.max(Math.min(window.ofTeam - taken, window.ofAll - total), window.least - taken) <= 0) return false;
      add(teamId, weight);
      return true;
    },
    add,
    free(teamId, weight = 1) {
      change(teamId, -weight);
    },
  };
}

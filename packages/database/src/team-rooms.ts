import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from './bound-statement.ts';
import { inFlight, type TeamWindow } from './lease-rows.ts';

/** How long a count holds, in milliseconds: to count with each insert costs several times what the insert does. */
const HOLDS_MS = 100;

/** Says how much room the window of each team has, and counts what its caller takes until the next count. */
export interface TeamRooms {
  /** Counts the rows in flight, unless they were counted a moment ago. */
  readonly refresh: () => Promise<void>;
  /** Whether there is room for one more row of the team; then it counts as taken. */
  readonly take: (teamId: string) => boolean;
}

/**
 * Counts the window of a table's teams for whoever inserts leased rows. The table has the truth: between two counts copies of
 * the service may exceed the window by what they insert meanwhile.
 */
export function openTeamRooms(em: EntityManager, table: string, window: TeamWindow): TeamRooms {
  let own = new Map<string, number>();
  let total = 0;
  let countedAt = -Infinity;
  let counting: Promise<void> | undefined;

  const count = async (): Promise<void> => {
    const rows = await executeBound<{ team_of: string; own: number }>(
      em.fork(),
      `with ${inFlight(table, window)} select team_of, own::int as own from in_flight`,
      [],
    );
    own = new Map(rows.map(row => [row.team_of, row.own]));
    total = rows.reduce((sum, row) => sum + row.own, 0);
    countedAt = performance.now();
  };

  return {
    async refresh() {
      if (performance.now() - countedAt < HOLDS_MS) return;
      counting ??= count().finally(() => (counting = undefined));
      await counting;
    },
    take(teamId) {
      const taken = own.get(teamId) ?? 0;
      const room = Math.max(Math.min(window.ofTeam - taken, window.ofAll - total), window.least - taken);
      if (room <= 0) return false;
      own.set(teamId, taken + 1);
      total += 1;
      return true;
    },
  };
}

import type { TeamId } from '@billing/contracts/ids';

/** Requests on their way: of this process, and of a team. */
const MAX_ALL = 1_000;
const MAX_TEAM = 200;

/** The share of one endpoint in the requests that may be on their way. */
interface Room {
  /** Takes a slot; false when the endpoint has its share, or none is free. */
  readonly take: () => boolean;
  readonly giveBack: () => void;
  /** Whether `take` would succeed. */
  readonly isFree: () => boolean;
  /** Calls back once, when a slot becomes free. */
  readonly onFree: (callback: () => void) => void;
  readonly close: () => void;
}

/** Shares the requests that may be on their way among endpoints. */
export interface Slots {
  readonly open: (teamId: TeamId) => Room;
}

interface TeamUse {
  endpoints: number;
  taken: number;
}

/**
 * Opens the slots of this process. Each endpoint of a team with something to send keeps an equal share of the team's slots,
 * so that those that hang starve none.
 */
export function openSlots({ ofAll = MAX_ALL, ofTeam = MAX_TEAM } = {}): Slots {
  const teams = new Map<TeamId, TeamUse>();
  let all = 0;
  let waiting: (() => void)[] = [];
  return {
    open(teamId) {
      const team = teams.get(teamId) ?? { endpoints: 0, taken: 0 };
      teams.set(teamId, team);
      team.endpoints += 1;
      let own = 0;
      const isFree = () => all < ofAll && team.taken < ofTeam && own < Math.max(1, Math.floor(ofTeam / team.endpoints));
      const change = (by: 1 | -1) => {
        own += by;
        team.taken += by;
        all += by;
      };
      return {
        isFree,
        take() {
          if (!isFree()) return false;
          change(1);
          return true;
        },
        giveBack() {
          change(-1);
          const called = waiting;
          waiting = [];
          for (const callback of called) callback();
        },
        onFree: callback => void waiting.push(callback),
        close() {
          team.endpoints -= 1;
          if (team.endpoints === 0) teams.delete(teamId);
        },
      };
    },
  };
}

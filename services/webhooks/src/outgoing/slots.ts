import type { TeamId } from '@billing/contracts/ids';

/**
 * Requests on their way of this process, whose bodies of up to 64 KiB take 28 MiB; of a team; and to endpoints not known to be
 * quick. Beyond these, a team with none on its way finds one, to an endpoint of each kind.
 */
const MAX_ALL = 448;
const MAX_TEAM = 200;
const MAX_UNPROVEN = 300;
/** The part of a team's slots that is left to endpoints with nothing on its way. */
const RESERVED = 0.1;
/** How long a team waits that has used up its pace, in milliseconds: what it sends then shares statements. */
const PAUSE_MS = 500;

/** The share of one endpoint in the requests that may be on their way. */
interface Room {
  /**
   * Takes a slot, and returns what gives it back; undefined when the endpoint has its share, none is free, or its team has used
   * up its pace.
   */
  readonly take: (isProven: boolean) => (() => void) | undefined;
  /** Takes a slot once one is free, after those that wait for longer; a later call takes the place of an earlier one. */
  readonly wait: (isProven: boolean, onTaken: (giveBack: () => void) => void) => void;
  readonly close: () => void;
}

/** Shares the requests that may be on their way among endpoints. */
export interface Slots {
  readonly open: (teamId: TeamId) => Room;
  /** Requests on their way. */
  readonly taken: () => number;
  /** Teams that wait, since they have used up their pace. */
  readonly pausing: () => number;
}

interface TeamUse {
  endpoints: number;
  taken: number;
  unproven: number;
}

/**
 * Opens the slots of this process. Each endpoint of a team with something to send keeps an equal share of the team's slots,
 * and one with nothing on its way finds one free, so that those that hang starve none. A team takes no more than are left: however
 * many a few teams want, another one finds some. However many teams there are, the quick endpoints of one find a slot beside slow ones.
 * `mayBegin` is the pace of teams.
 */
export function openSlots({
  ofAll = MAX_ALL,
  ofTeam = MAX_TEAM,
  ofUnproven = MAX_UNPROVEN,
  mayBegin = (_teamId: TeamId): boolean => true,
} = {}): Slots {
  const teams = new Map<TeamId, TeamUse>();
  /** By room, the one that waits the longest first; each takes a slot if one is free for it. */
  const waiting = new Map<object, () => void>();
  const pausing = new Set<TeamId>();
  let [all, unproven] = [0, 0];
  const serveWaiting = (): void => {
    for (const takeFree of waiting.values()) takeFree();
  };
  const isInPace = (teamId: TeamId): boolean => {
    if (pausing.has(teamId)) return false;
    if (mayBegin(teamId)) return true;
    pausing.add(teamId);
    setTimeout(() => {
      pausing.delete(teamId);
      serveWaiting();
    }, PAUSE_MS).unref();
    return false;
  };
  return {
    taken: () => all,
    pausing: () => pausing.size,
    open(teamId) {
      const team = teams.get(teamId) ?? { endpoints: 0, taken: 0, unproven: 0 };
      teams.set(teamId, team);
      team.endpoints += 1;
      let own = 0;
      const room = {};
      const isKept = (isProven: boolean) => (isProven ? team.taken === team.unproven : team.unproven === 0);
      const isShared = (isProven: boolean) =>
        team.taken < ofAll - all && (isProven || team.unproven < ofUnproven - unproven);
      const isFree = (isProven: boolean) =>
        (isKept(isProven) || isShared(isProven)) &&
        team.taken < (own === 0 ? ofTeam : Math.ceil(ofTeam * (1 - RESERVED))) &&
        own < Math.max(1, Math.floor(ofTeam / team.endpoints));
      const change = (by: 1 | -1, isProven: boolean) => {
        own += by;
        team.taken += by;
        all += by;
        if (!isProven) {
          unproven += by;
          team.unproven += by;
        }
        if (team.endpoints === 0 && team.taken === 0 && teams.get(teamId) === team) teams.delete(teamId);
      };
      const take = (isProven: boolean) => {
        if (!isFree(isProven) || !isInPace(teamId)) return undefined;
        change(1, isProven);
        return () => {
          change(-1, isProven);
          serveWaiting();
        };
      };
      return {
        take,
        wait(isProven, onTaken) {
          waiting.set(room, () => {
            const giveBack = take(isProven);
            if (!giveBack) return;
            waiting.delete(room);
            onTaken(giveBack);
          });
        },
        close() {
          waiting.delete(room);
          team.endpoints -= 1;
          if (team.endpoints === 0 && team.taken === 0) teams.delete(teamId);
        },
      };
    },
  };
}

import { Problem } from '@billing/contracts/problem';

interface PlaceLimits {
  /** How much runs at the same time; any number unless given. */
  readonly ofAll?: number;
  /** How much of one team runs at the same time. */
  readonly ofTeam: number;
  /** How much of a team may wait; what comes then is refused. */
  readonly maxWaiting: number;
}

/** Places that teams share: each has a few of its own, and teams that wait are served in turns. */
export interface TeamPlaces {
  /**
   * Takes a place for a team as soon as there is one; the returned function gives it back. No team waits for longer than until
   * what runs has ended, and then for one piece of work of each other team.
   * @throws Problem 429 when too much of the team waits
   */
  take(teamId: string): Promise<() => void>;
  /** How many places are taken, and how much waits for one. */
  count(): { readonly taken: number; readonly waiting: number };
}

interface Team {
  taken: number;
  readonly waiting: ((release: () => void) => void)[];
}

/** Opens the places of this process for one kind of work. */
export function openTeamPlaces({ ofAll = Infinity, ofTeam, maxWaiting }: PlaceLimits): TeamPlaces {
  const teams = new Map<string, Team>();
  /** Those that wait and may have one more place, in the order of their turns. */
  const turns = new Set<string>();
  let taken = 0;

  const queue = (teamId: string, team: Team): void => {
    if (team.waiting.length > 0 && team.taken < ofTeam) turns.add(teamId);
  };
  const beginNext = (): void => {
    for (const teamId of turns) {
      if (taken >= ofAll) return;
      turns.delete(teamId);
      const team = teams.get(teamId);
      const begin = team?.waiting.shift();
      if (!team || !begin) continue;
      taken += 1;
      team.taken += 1;
      // Behind all who wait: each has a turn before the next one of this team.
      queue(teamId, team);
      begin(() => giveBack(teamId, team));
    }
  };
  const giveBack = (teamId: string, team: Team): void => {
    taken -= 1;
    team.taken -= 1;
    queue(teamId, team);
    if (team.taken === 0 && team.waiting.length === 0) teams.delete(teamId);
    beginNext();
  };

  return {
    async take(teamId) {
      const team = teams.get(teamId) ?? { taken: 0, waiting: [] };
      if (team.waiting.length >= maxWaiting) throw tooMany();
      teams.set(teamId, team);
      const begun = new Promise<() => void>(resolve => team.waiting.push(resolve));
      queue(teamId, team);
      beginNext();
      const release = await begun;
      let isHeld = true;
      return () => {
        if (isHeld) release();
        isHeld = false;
      };
    },
    count: () => ({ taken, waiting: [...teams.values()].reduce((sum, { waiting }) => sum + waiting.length, 0) }),
  };
}

const tooMany = (): Problem =>
  new Problem('rate_limited', 'rate_limited', 'Too many requests of the team wait; try again later.', {
    retryAfterSeconds: 2,
  });

import type { TeamId } from '@billing/contracts/ids';

/** How many events of a team within one interval make a flood, and the interval in milliseconds. */
const FLOOD_SIZE = 25;
const INTERVAL_MS = 100;
/** How long a flood is only stored before its events are processed, in milliseconds. */
const LONGEST_HOLD_MS = 5_000;
/** Teams that are remembered before those without recent events are forgotten. */
const MAX_TEAMS = 1_000;

/** Gives storing a team's events priority over processing them while a flood of them comes in. */
export interface FloodGate {
  /** An event of the team was stored. */
  readonly received: (teamId: TeamId) => void;
  /** Whether the team's events should wait. */
  readonly holds: (teamId: TeamId) => boolean;
  /** The teams whose events should wait. */
  readonly held: () => TeamId[];
}

interface Arrivals {
  intervalStartedAt: number;
  inInterval: number;
  inLastInterval: number;
  /** When its events began to wait; null while they don't. */
  heldSince: number | null;
  processUntil: number;
}

/**
 * Opens the gate in front of processing. Stripe waits for its response, and stored events are safe. After a wait they are
 * processed for as long as it took, so that an endless flood can't stop processing. Events of other teams never wait.
 */
export function openFloodGate(now: () => number = () => performance.now()): FloodGate {
  const teams = new Map<TeamId, Arrivals>();

  const count = (team: Arrivals, received: number): void => {
    const age = now() - team.intervalStartedAt;
    if (age >= INTERVAL_MS) {
      team.inLastInterval = age < 2 * INTERVAL_MS ? team.inInterval : 0;
      team.inInterval = 0;
      team.intervalStartedAt = now();
    }
    team.inInterval += received;
  };
  const isFlood = (team: Arrivals): boolean => {
    count(team, 0);
    return Math.max(team.inInterval, team.inLastInterval) >= FLOOD_SIZE;
  };

  const holds = (teamId: TeamId): boolean => {
    const team = teams.get(teamId);
    if (!team || now() < team.processUntil) return false;
    if (isFlood(team)) {
      team.heldSince ??= now();
      if (now() - team.heldSince < LONGEST_HOLD_MS) return true;
    }
    if (team.heldSince !== null) team.processUntil = 2 * now() - team.heldSince;
    team.heldSince = null;
    return false;
  };

  const forgetQuietTeams = (): void => {
    for (const [teamId, team] of teams) if (!isFlood(team) && now() >= team.processUntil) teams.delete(teamId);
  };

  return {
    received(teamId) {
      let team = teams.get(teamId);
      if (!team) {
        if (teams.size >= MAX_TEAMS) forgetQuietTeams();
        team = { intervalStartedAt: now(), inInterval: 0, inLastInterval: 0, heldSince: null, processUntil: 0 };
        teams.set(teamId, team);
      }
      count(team, 1);
    },
    holds,
    held: () => [...teams.keys()].filter(holds),
  };
}

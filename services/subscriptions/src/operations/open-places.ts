import type { TeamId } from '@billing/contracts/ids';

/**
 * Limits how many requests go on for long at the same time: each holds one of the connections that the gateway has for all
 * teams. The returned function takes a place for a team and returns what gives it back, or null when none is left.
 */
export function openPlaces({ ofAll, ofTeam }: { readonly ofAll: number; readonly ofTeam: number }) {
  const taken = new Map<TeamId, number>();
  let all = 0;
  const change = (teamId: TeamId, by: 1 | -1): void => {
    all += by;
    const own = (taken.get(teamId) ?? 0) + by;
    if (own > 0) taken.set(teamId, own);
    else taken.delete(teamId);
  };
  return (teamId: TeamId): (() => void) | null => {
    if (all >= ofAll || (taken.get(teamId) ?? 0) >= ofTeam) return null;
    change(teamId, 1);
    return () => change(teamId, -1);
  };
}

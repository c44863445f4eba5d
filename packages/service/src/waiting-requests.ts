import type { TeamId } from '@billing/contracts/ids';
import type { FastifyReply } from 'fastify';

interface PlacesOptions {
  readonly ofAll: number;
  readonly ofTeam: number;
}

/**
 * Limits how many requests go on for long at the same time. The returned function takes a place for a team and returns what
 * gives it back, or null when the team has all that it may. A team with none finds one, however many the others have.
 */
export function openPlaces({ ofAll, ofTeam }: PlacesOptions) {
  const taken = new Map<TeamId, number>();
  let all = 0;
  const change = (teamId: TeamId, by: 1 | -1): void => {
    all += by;
    const own = (taken.get(teamId) ?? 0) + by;
    if (own > 0) taken.set(teamId, own);
    else taken.delete(teamId);
  };
  return (teamId: TeamId): (() => void) | null => {
    const own = taken.get(teamId) ?? 0;
    if (own > 0 && (all >= ofAll || own >= ofTeam)) return null;
    change(teamId, 1);
    return () => change(teamId, -1);
  };
}

/** Returns a signal that ends a wait: after so many milliseconds, or once the caller has hung up, or the service closes. */
export function endOfWait({ raw }: FastifyReply, waitMs: number, closing: AbortSignal): AbortSignal {
  const hungUp = new AbortController();
  raw.once('close', () => hungUp.abort());
  if (raw.destroyed) hungUp.abort();
  return AbortSignal.any([AbortSignal.timeout(waitMs), hungUp.signal, closing]);
}

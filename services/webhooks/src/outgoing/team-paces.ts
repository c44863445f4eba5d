import type { TeamId } from '@billing/contracts/ids';
import { openTokenBucket } from '@billing/service/token-bucket';
import { LRUCache } from 'lru-cache';

/** What a team has not sent in so many seconds, it may send at once. */
const BURST_SECONDS = 10;
const MAX_TEAMS = 20_000;

/**
 * Opens the pace of each team: a function that tells whether this process may begin one more delivery of a team, and counts it
 * then. `now` is a clock in milliseconds that never goes back.
 */
export function openTeamPaces(perSecond: number, now: () => number = () => performance.now()) {
  // A team that is forgotten had saved up all that it may.
  const teams = new LRUCache<TeamId, () => boolean>({ max: MAX_TEAMS, ttl: BURST_SECONDS * 1_000 });
  return (teamId: TeamId): boolean => {
    const take = teams.get(teamId) ?? openTokenBucket({ perSecond, burst: perSecond * BURST_SECONDS }, now);
    teams.set(teamId, take);
    return take();
  };
}

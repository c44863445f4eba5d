import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { TeamPlaces } from './team-places.ts';

/**
 * Reads for a team during a request that holds no place itself, because it waits for long.
 * @throws Problem 429 when too many reads of the team wait
 */
export type TeamReads = <Result>(teamId: TeamId, read: (em: EntityManager) => Promise<Result>) => Promise<Result>;

/** Opens the reads of teams on the connections of reads: however many a team makes, some are left to other teams. */
export const openTeamReads =
  (em: EntityManager, places: TeamPlaces): TeamReads =>
  async (teamId, read) => {
    const release = await places.take(teamId);
    try {
      return await read(em);
    } finally {
      release();
    }
  };

import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import { semaphore, type Semaphore } from '@billing/messaging/semaphore';

/** Reads of a team that run at the same time. */
const PARALLEL = 2;
/** Connections that a read may use at the same time. */
const CONNECTIONS_OF_READ = 2;
/** Further reads of the team that wait; more get 429. */
const MAX_WAITING = 50;

/** How many connections the reads need, so that a second and a third team find some. */
export const READ_CONNECTIONS = 3 * PARALLEL * CONNECTIONS_OF_READ;

/**
 * Reads for a team what may take long.
 * @throws Problem 429 when too many reads of the team wait
 */
export type TeamReads = <Result>(teamId: TeamId, read: (em: EntityManager) => Promise<Result>) => Promise<Result>;

/**
 * Opens the reads of teams on connections of their own: however many a team makes, and however slow they are, they take none
 * from the receipt and the processing of webhooks, and some are left to other teams.
 */
export function openTeamReads(em: EntityManager): TeamReads {
  const teams = new Map<TeamId, Semaphore>();
  return async (teamId, read) => {
    const limit = teams.get(teamId) ?? semaphore(PARALLEL, { maxWaiting: MAX_WAITING, refusal: tooManyReads });
    teams.set(teamId, limit);
    try {
      return await limit(() => read(em));
    } finally {
      if (limit.isIdle()) teams.delete(teamId);
    }
  };
}

const tooManyReads = (): Problem =>
  new Problem('rate_limited', 'rate_limited', 'Too many reads of the team wait; try again later.', {
    retryAfterSeconds: 2,
  });

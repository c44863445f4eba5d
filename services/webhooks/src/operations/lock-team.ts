import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';

/** Takes changes of a team's connection one after the other, until the end of the caller's transaction. */
export async function lockTeam(tx: EntityManager, teamId: TeamId): Promise<void> {
  await tx.execute(`select pg_advisory_xact_lock(hashtextextended(?, 0))`, [`connect/${teamId}`]);
}

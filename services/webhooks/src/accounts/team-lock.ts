import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';

const PREFIX = 'connect/';

/**
 * Takes changes of a team's connection one after the other, until the end of the caller's transaction. It waits for the
 * events that are being stored, and those that come meanwhile wait for it: however many come, it gets its turn.
 */
export async function lockTeam(tx: EntityManager, teamId: TeamId): Promise<void> {
  await tx.execute(`select pg_advisory_xact_lock(hashtextextended(?, 0))`, [`${PREFIX}${teamId}`]);
}

/** A common table expression `(team_id)` that shares the locks of teams; their ids are an expression of the type `text[]`. */
export const shareTeamLocks = (teamIds: string): string => `
  select team_id, pg_advisory_xact_lock_shared(hashtextextended('${PREFIX}' || team_id, 0))
    from (select distinct unnest(${teamIds}) as team_id order by 1) teams`;

import type { EntityManager } from '@mikro-orm/postgresql';
import { Member, Team } from '#persistence/team.entity.ts';

/** Returns the teams of a user, newest first. */
export function listTeams({ em }: { readonly em: EntityManager }) {
  return async (userId: string): Promise<Team[]> => {
    const fork = em.fork();
    const memberships = await fork.find(Member, { userId });
    const ids = memberships.map(({ teamId }) => teamId);
    return fork.find(Team, { id: { $in: ids } }, { orderBy: { createdAt: 'desc', id: 'asc' } });
  };
}

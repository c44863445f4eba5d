import type { EntityManager } from '@mikro-orm/postgresql';
import type { Page } from '@billing/contracts/pagination';
import { Member, Team } from '#persistence/team.entity.ts';

/** Returns a page of a user's teams, newest first, and how many there are in all. */
export function listTeams({ em }: { readonly em: EntityManager }) {
  return async (userId: string, { limit, offset }: Page): Promise<[Team[], number]> => {
    const fork = em.fork();
    const memberships = await fork.find(Member, { userId });
    const ids = memberships.map(({ teamId }) => teamId);
    return fork.findAndCount(Team, { id: { $in: ids } }, { orderBy: { createdAt: 'desc', id: 'asc' }, limit, offset });
  };
}

import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { Team } from '#persistence/team.entity.ts';

/** Returns the name of a team; null when there is no such team. */
export function findTeamName({ em }: { readonly em: EntityManager }) {
  return async ({ teamId }: { readonly teamId: TeamId }): Promise<{ name: string } | null> => {
    const team = await em.fork().findOne(Team, { id: teamId });
    return team && { name: team.name };
  };
}

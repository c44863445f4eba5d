import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope, TeamId } from '@billing/contracts/ids';
import type { Page } from '@billing/contracts/pagination';
import { ApiKey } from '#persistence/api-key.entity.ts';
import { Invitation } from '#persistence/invitation.entity.ts';
import { Member, Project, Team } from '#persistence/team.entity.ts';

interface Dependencies {
  readonly em: EntityManager;
}

// Each returns a page, newest first, and how many there are in all.
const NEWEST_FIRST = { createdAt: 'desc', id: 'asc' } as const;

/** Lists the teams of a user. */
export function listTeams({ em }: Dependencies) {
  return async (userId: string, { limit, offset }: Page): Promise<[Team[], number]> => {
    const fork = em.fork();
    const memberships = await fork.find(Member, { userId });
    const ids = memberships.map(({ teamId }) => teamId);
    return fork.findAndCount(Team, { id: { $in: ids } }, { orderBy: NEWEST_FIRST, limit, offset });
  };
}

/** Lists the projects of a team. */
export function listProjects({ em }: Dependencies) {
  return (teamId: TeamId, { limit, offset }: Page): Promise<[Project[], number]> =>
    em.fork().findAndCount(Project, { teamId }, { orderBy: NEWEST_FIRST, limit, offset });
}

/** Lists the keys of a project that are not revoked, expired ones included. */
export function listApiKeys({ em }: Dependencies) {
  return ({ teamId, projectId }: ProjectScope, { limit, offset }: Page): Promise<[ApiKey[], number]> => {
    const live = { teamId, projectId, revokedAt: null };
    return em.fork().findAndCount(ApiKey, live, { orderBy: NEWEST_FIRST, limit, offset });
  };
}

/** Lists the open invitations of a team. */
export function listInvitations({ em, now }: Dependencies & { readonly now: () => Date }) {
  return (teamId: TeamId, { limit, offset }: Page): Promise<[Invitation[], number]> => {
    const open = { teamId, closedAt: null, expiresAt: { $gt: now() } };
    return em.fork().findAndCount(Invitation, open, { orderBy: NEWEST_FIRST, limit, offset });
  };
}

import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope, TeamId } from '@billing/contracts/ids';
import { Project } from '#persistence/team.entity.ts';

interface Dependencies {
  readonly em: EntityManager;
}

/** Returns a project of the team; null also when it belongs to another team. */
export function findProject({ em }: Dependencies) {
  return ({ teamId, projectId }: ProjectScope): Promise<Project | null> =>
    em.fork().findOne(Project, { id: projectId, teamId });
}

/** Returns the projects of a team, newest first. */
export function listProjects({ em }: Dependencies) {
  return (teamId: TeamId): Promise<Project[]> =>
    em.fork().find(Project, { teamId }, { orderBy: { createdAt: 'desc', id: 'asc' } });
}

import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope, TeamId } from '@billing/contracts/ids';
import type { Page } from '@billing/contracts/pagination';
import { Project } from '#persistence/team.entity.ts';

interface Dependencies {
  readonly em: EntityManager;
}

/** Returns a project of the team; null also when it belongs to another team. */
export function findProject({ em }: Dependencies) {
  return ({ teamId, projectId }: ProjectScope): Promise<Project | null> =>
    em.fork().findOne(Project, { id: projectId, teamId });
}

/** Returns a page of a team's projects, newest first, and how many there are in all. */
export function listProjects({ em }: Dependencies) {
  return (teamId: TeamId, { limit, offset }: Page): Promise<[Project[], number]> =>
    em.fork().findAndCount(Project, { teamId }, { orderBy: { createdAt: 'desc', id: 'asc' }, limit, offset });
}

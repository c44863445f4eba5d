import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, ProjectScope, TeamId } from '@billing/contracts/ids';
import type { ListProjectStates } from '@billing/contracts/rpc/list-states';
import type { z } from 'zod';
import { Project, Team } from '#persistence/team.entity.ts';

interface Dependencies {
  readonly em: EntityManager;
}

/** Returns a project of the team; null also when it belongs to another team. */
export function findProject({ em }: Dependencies) {
  return ({ teamId, projectId }: ProjectScope): Promise<Project | null> =>
    em.fork().findOne(Project, { id: projectId, teamId });
}

/** Returns the name of a team; null when there is no such team. */
export function findTeamName({ em }: Dependencies) {
  return async ({ teamId }: { readonly teamId: TeamId }): Promise<{ name: string } | null> => {
    const team = await em.fork().findOne(Team, { id: teamId });
    return team && { name: team.name };
  };
}

/** Returns one page of the projects of all teams, or of the one named: a call for services, never for API callers. */
export function listProjectStates({ em }: Dependencies) {
  return async ({ projectId, after, limit }: z.output<typeof ListProjectStates.request>) => {
    const id = { ...(projectId && { $eq: projectId }), $gt: (after ?? '') as ProjectId }; // ids compare as texts
    const projects = await em.fork().find(Project, { id }, { orderBy: { id: 'asc' }, limit });
    const records = projects.map(state => ({ recordedAt: state.createdAt, state }));
    return { records, next: projects.length < limit ? null : (projects.at(-1)?.id ?? null) };
  };
}

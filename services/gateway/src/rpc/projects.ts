import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import type { ListProjectStates } from '@billing/contracts/rpc/list-states';
import type { z } from 'zod';
import { Project } from '#persistence/team.entity.ts';

type Request = z.output<typeof ListProjectStates.request>;

/** Returns one page of the projects of all teams, or of the one named: a call for services, never for API callers. */
export function listProjectStates({ em }: { readonly em: EntityManager }) {
  return async ({ projectId, after, limit }: Request) => {
    const id = { ...(projectId && { $eq: projectId }), $gt: (after ?? '') as ProjectId }; // ids compare as texts
    const projects = await em.fork().find(Project, { id }, { orderBy: { id: 'asc' }, limit });
    const records = projects.map(state => ({ recordedAt: state.createdAt, state }));
    return { records, next: projects.length < limit ? null : (projects.at(-1)?.id ?? null) };
  };
}

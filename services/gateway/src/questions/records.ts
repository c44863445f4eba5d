import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import type { ListProjectStates } from '@billing/contracts/rpc/list-states';
import type { z } from 'zod';
import { Project } from '#persistence/team.entity.ts';

type Asked = z.output<typeof ListProjectStates.request>;

/** A part of the projects of every team, or the one named; asked by other services, never for a caller. */
export function listProjectStates(em: EntityManager) {
  return async ({ projectId, after, limit }: Asked) => {
    const id = { ...(projectId && { $eq: projectId }), $gt: (after ?? '') as ProjectId }; // any text may be compared with
    const projects = await em.fork().find(Project, { id }, { orderBy: { id: 'asc' }, limit });
    const records = projects.map(state => ({ recordedAt: state.createdAt, state }));
    return { records, next: projects.length < limit ? null : (projects.at(-1)?.id ?? null) };
  };
}

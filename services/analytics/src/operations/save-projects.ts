import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectState } from '@billing/contracts/events/gateway';
import { upsertProject } from '#persistence/projects.ts';
import { lockNewest } from './lock-newest.ts';

interface ProjectChange {
  readonly state: ProjectState;
  readonly occurredAt: Date;
}

/** Saves the newest of the given states of each project, in the caller's transaction; older than stored ones are ignored. */
export async function saveProjects(tx: EntityManager, changes: readonly ProjectChange[]): Promise<void> {
  const states = changes.map(({ state, occurredAt }) => ({ change: { ...state, projectId: state.id }, occurredAt }));
  for (const state of await lockNewest(tx, states)) await upsertProject(tx, state);
}

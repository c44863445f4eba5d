import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectState } from '@billing/contracts/events/gateway';
import { laterOf } from '#domain/utc-day.ts';
import { lockProjects, upsertProject } from '#persistence/projects.ts';

interface ProjectChange {
  readonly state: ProjectState;
  readonly occurredAt: Date;
}

/** Saves the newest of the given states of each project, in the caller's transaction; older than stored ones are ignored. */
export async function saveProjects(tx: EntityManager, changes: readonly ProjectChange[]): Promise<void> {
  const newest = new Map<string, ProjectChange>();
  for (const change of changes) {
    const other = newest.get(change.state.id) ?? change;
    const { state } = other.state.version > change.state.version ? other : change;
    newest.set(state.id, { state, occurredAt: laterOf(other.occurredAt, change.occurredAt) });
  }
  await lockProjects(
    tx,
    [...newest.values()].map(({ state: { teamId, id }, occurredAt }) => ({
      teamId,
      projectId: id,
      newestEventAt: occurredAt,
    })),
  );
  for (const { state } of newest.values()) await upsertProject(tx, state);
}

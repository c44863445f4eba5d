import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { laterOf } from '#domain/utc-day.ts';
import { lockProjects } from '#persistence/projects.ts';

/** A state of a project, or of something of which it has one. */
interface Change extends ProjectScope {
  readonly version: number;
}

/** Locks the projects of changes, which events carried, and returns the newest change of each. */
export async function lockNewest<Changed extends Change>(
  tx: EntityManager,
  changes: readonly { readonly change: Changed; readonly occurredAt: Date }[],
): Promise<Changed[]> {
  const newest = new Map<string, Changed>();
  const newestEventAt = new Map<string, Date>();
  for (const { change, occurredAt } of changes) {
    const { projectId, version } = change;
    const other = newest.get(projectId);
    newest.set(projectId, other && other.version > version ? other : change);
    newestEventAt.set(projectId, laterOf(newestEventAt.get(projectId) ?? occurredAt, occurredAt));
  }
  const found = [...newest.values()];
  await lockProjects(
    tx,
    found.map(({ teamId, projectId }) => ({ teamId, projectId, newestEventAt: newestEventAt.get(projectId) ?? null })),
  );
  return found;
}

import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { lockProjects, type GenerationScope } from './projects.ts';

/** A later rebuild of the same project has started; it replaces this one. */
export class RebuildSuperseded extends Error {
  override readonly name = 'RebuildSuperseded';
  constructor({ projectId }: ProjectScope) {
    super(`Another rebuild of ${projectId} has started and replaces this one.`);
  }
}

/**
 * Starts a new generation of a project's rows and returns its number. From here on events are written to both
 * generations. Events handled earlier are in the current one only; their owners return them when read after this call.
 */
export function startGeneration(em: EntityManager, { teamId, projectId }: ProjectScope): Promise<number> {
  return em.fork().transactional(async tx => {
    await lockProjects(tx, [{ teamId, projectId, newestEventAt: null }]);
    const [row] = await tx.execute<{ building_generation: number }[]>(
      `update projects set building_generation = greatest(generation, building_generation) + 1
        where team_id = ? and project_id = ? returning building_generation`,
      [teamId, projectId],
    );
    if (!row) throw new Error('PostgreSQL returned no row for an update of a locked project.');
    return row.building_generation;
  });
}

/**
 * Makes a finished generation the current one, in the caller's transaction.
 * @throws RebuildSuperseded when it is not the generation that is being built
 */
export async function switchToGeneration(
  em: EntityManager,
  scope: GenerationScope,
  newestEventAt: Date | null,
): Promise<void> {
  const switched = await em.execute<unknown[]>(
    `update projects
        set generation = building_generation, building_generation = null,
            newest_event_at = greatest(newest_event_at, ?::timestamptz)
      where team_id = ? and project_id = ? and building_generation = ? returning 1`,
    [newestEventAt?.toISOString() ?? null, scope.teamId, scope.projectId, scope.generation],
  );
  if (switched.length === 0) throw new RebuildSuperseded(scope);
}

/** Rows deleted by one statement, so that none takes long. */
const CHUNK = 10_000;

/** Deletes the rows of all generations before the given one, except the current generation. */
export async function deleteGenerationsBefore(em: EntityManager, scope: GenerationScope): Promise<void> {
  const { teamId, projectId, generation } = scope;
  const [project] = await em
    .fork()
    .execute<{ generation: number }[]>(`select generation from projects where team_id = ? and project_id = ?`, [
      teamId,
      projectId,
    ]);
  const old: OldGenerations = [teamId, projectId, generation, project?.generation ?? generation];
  await em
    .fork()
    .execute(`delete from metrics where team_id = ? and project_id = ? and generation < ? and generation <> ?`, old);
  for (const table of ['subscription_movements', 'subscription_points', 'tracked_records'] as const)
    while (await deleteSome(em, table, old));
}

/** Team, project, the generation before which rows are deleted, and the one that is kept. */
type OldGenerations = [string, string, number, number];

/** Deletes some rows; returns whether there may be more. */
async function deleteSome(
  em: EntityManager,
  table: 'subscription_movements' | 'subscription_points' | 'tracked_records',
  old: OldGenerations,
): Promise<boolean> {
  const deleted = await em.fork().execute<unknown[]>(
    `delete from ${table} where ctid = any (array(
       select ctid from ${table}
        where team_id = ? and project_id = ? and generation < ? and generation <> ? limit ${CHUNK})) returning 1`,
    old,
  );
  return deleted.length === CHUNK;
}

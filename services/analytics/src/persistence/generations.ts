import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { FIRST_GENERATION } from './project.entity.ts';
import { holdProjects } from './projects.ts';

/** Another rebuild of the project has begun since; what this one made is not wanted any more. */
export class RebuildSuperseded extends Error {
  override readonly name = 'RebuildSuperseded';
  constructor({ projectId }: ProjectScope) {
    super(`Another rebuild of ${projectId} has begun meanwhile and goes on instead of this one.`);
  }
}

/**
 * Begins new rows for a project and answers their generation: from here on facts are kept in both. A fact that was
 * heard before is in the shown rows only, and its owner tells it to whoever asks after this.
 */
export function beginBuilding(em: EntityManager, { teamId, projectId }: ProjectScope): Promise<number> {
  return em.fork().transactional(async tx => {
    await holdProjects(tx, [{ teamId, projectId, newestAt: null }]);
    const [row] = await tx.execute<{ building: number }[]>(
      `update projects set building = greatest(generation, building) + 1 where team_id = ? and project_id = ?
       returning building`,
      [teamId, projectId],
    );
    if (!row) throw new Error('PostgreSQL answered no row to an update of a locked one.');
    return row.building;
  });
}

/**
 * Shows the rows of a generation from here on, in one step.
 * @throws RebuildSuperseded when it is not the one that is being built
 */
export async function showGeneration(
  em: EntityManager,
  scope: ProjectScope,
  { generation, newestAt }: { readonly generation: number; readonly newestAt: Date | null },
): Promise<void> {
  const shown = await em.fork().execute<unknown[]>(
    `update projects
        set generation = building, building = null, newest_fact_at = greatest(newest_fact_at, ?::timestamptz)
      where team_id = ? and project_id = ? and building = ? returning 1`,
    [newestAt?.toISOString() ?? null, scope.teamId, scope.projectId, generation],
  );
  if (shown.length === 0) throw new RebuildSuperseded(scope);
}

/** So many rows are deleted by a statement, that none of them takes long. */
const CHUNK = 10_000;

/** Deletes the rows of generations before `generation`, but for those that are shown. */
export async function forgetGenerationsBefore(em: EntityManager, scope: ProjectScope, generation: number) {
  const { teamId, projectId } = scope;
  const [project] = await em
    .fork()
    .execute<{ shown: number }[]>(`select generation as shown from projects where team_id = ? and project_id = ?`, [
      teamId,
      projectId,
    ]);
  for (let former = FIRST_GENERATION; former < generation; former += 1)
    if (former !== project?.shown)
      for (const table of ['figures', 'subjects']) await forgetGeneration(em, table, { ...scope, generation: former });
}

async function forgetGeneration(
  em: EntityManager,
  table: string,
  { teamId, projectId, generation }: ProjectScope & { readonly generation: number },
): Promise<void> {
  for (let deleted = CHUNK; deleted === CHUNK;) {
    const rows = await em.fork().execute<unknown[]>(
      `delete from ${table} where ctid = any (array(
         select ctid from ${table} where team_id = ? and project_id = ? and generation = ? limit ${CHUNK})) returning 1`,
      [teamId, projectId, generation],
    );
    deleted = rows.length;
  }
}

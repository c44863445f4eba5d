import { IsolationLevel, type EntityManager } from '@mikro-orm/postgresql';
import type { ProjectState } from '@billing/contracts/events/gateway';
import type { ProjectId, ProjectScope, TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { milliseconds, timeFrom } from './columns.ts';
import { FIRST_GENERATION, type Project } from './project.entity.ts';

/** One generation of a project's rows. */
export interface GenerationScope extends ProjectScope {
  readonly generation: number;
}

/** What requests need to know of a project itself. */
export type ProjectHead = Pick<Project, 'baseCurrency' | 'newestEventAt' | 'estimatedUntil' | 'generation'>;

/** Reads a project, and with `read` the rows of its current generation, in one snapshot of the database. */
export function readProject<Rows>(
  em: EntityManager,
  scope: ProjectScope,
  read: (tx: EntityManager, current: GenerationScope) => Promise<Rows>,
): Promise<{ project: ProjectHead | null; rows: Rows }> {
  return em.fork().transactional(
    async tx => {
      const project = await findProject(tx, scope);
      return { project, rows: await read(tx, { ...scope, generation: project?.generation ?? FIRST_GENERATION }) };
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
  );
}

interface HeadRow {
  readonly base_currency: string | null;
  readonly generation: number;
  readonly newest_ms: number | null;
  readonly estimated_ms: number | null;
}

/** Finds what is stored of a project itself; null before its first event. */
export async function findProject(em: EntityManager, { teamId, projectId }: ProjectScope): Promise<ProjectHead | null> {
  const [row] = await executeBound<HeadRow>(
    em,
    `select base_currency, generation, ${milliseconds('newest_event_at')} as newest_ms,
            ${milliseconds('estimated_until')} as estimated_ms
       from projects where team_id = $1 and project_id = $2`,
    [teamId, projectId],
  );
  if (!row) return null;
  const { base_currency: baseCurrency, generation, newest_ms: newest, estimated_ms: estimated } = row;
  return {
    baseCurrency,
    generation,
    newestEventAt: newest === null ? null : timeFrom(newest),
    estimatedUntil: estimated === null ? null : timeFrom(estimated),
  };
}

/** Saves a project's base currency unless a newer version is stored. */
export async function upsertProject(em: EntityManager, { teamId, id, baseCurrency, version }: ProjectState) {
  await em.execute(
    `insert into projects (team_id, project_id, base_currency, version, generation) values (?, ?, ?, ?, ?)
     on conflict (team_id, project_id) do update
        set base_currency = excluded.base_currency, version = excluded.version
      where projects.version <= excluded.version`,
    [teamId, id, baseCurrency, version, FIRST_GENERATION],
  );
}

/** Saves that a sync found what a project had before; the first sync counts. */
export async function saveSync(em: EntityManager, { teamId, projectId }: ProjectScope, at: Date) {
  await em.execute(
    `insert into projects (team_id, project_id, version, generation, estimated_until) values (?, ?, 0, ?, ?)
     on conflict (team_id, project_id) do update
        set estimated_until = least(projects.estimated_until, excluded.estimated_until)`,
    [teamId, projectId, FIRST_GENERATION, at.toISOString()],
  );
}

/** Saves a base currency read from the gateway, unless an event has named one already. */
export async function saveBaseCurrency(em: EntityManager, { teamId, projectId }: ProjectScope, currency: string) {
  await em.execute(
    `insert into projects (team_id, project_id, base_currency, version, generation) values (?, ?, ?, 0, ?)
     on conflict (team_id, project_id) do update set base_currency = excluded.base_currency
      where projects.base_currency is null`,
    [teamId, projectId, currency, FIRST_GENERATION],
  );
}

/** A project whose rows only the caller may write until its transaction ends. */
export interface LockedProject extends GenerationScope {
  readonly buildingGeneration: number | null;
}

interface LockedRow {
  readonly team_id: TeamId;
  readonly project_id: ProjectId;
  readonly generation: number;
  readonly building_generation: number | null;
}

/**
 * Locks projects, inserting new ones, and advances `newestEventAt`. Every writer starts with this call, which locks in
 * the order of the ids, so writers wait for each other but never deadlock.
 */
export async function lockProjects(
  tx: EntityManager,
  projects: readonly (ProjectScope & { readonly newestEventAt: Date | null })[],
): Promise<LockedProject[]> {
  if (projects.length === 0) return [];
  const rows = await executeBound<LockedRow>(
    tx,
    `insert into projects (team_id, project_id, version, newest_event_at, generation)
     select "teamId", "projectId", 0, "newestEventAt", $1::int
       from jsonb_to_recordset($2::jsonb) as it ("teamId" text, "projectId" text, "newestEventAt" timestamptz)
      order by "teamId", "projectId"
     on conflict (team_id, project_id) do update
        set newest_event_at = greatest(projects.newest_event_at, excluded.newest_event_at)
     returning team_id, project_id, generation, building_generation`,
    [FIRST_GENERATION, JSON.stringify(projects)],
  );
  return rows.map(row => ({
    teamId: row.team_id,
    projectId: row.project_id,
    generation: row.generation,
    buildingGeneration: row.building_generation,
  }));
}

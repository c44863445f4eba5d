import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectState } from '@billing/contracts/events/gateway';
import type { ProjectId, ProjectScope, TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/service/bound-statement';
import { FIRST_GENERATION } from './project.entity.ts';

/** Keeps a project's base currency unless a newer one is known. */
export async function keepProject(tx: EntityManager, { teamId, id, baseCurrency, version }: ProjectState) {
  await tx.execute(
    `insert into projects (team_id, project_id, base_currency, version, generation) values (?, ?, ?, ?, ?)
     on conflict (team_id, project_id) do update
        set base_currency = excluded.base_currency, version = excluded.version
      where projects.version <= excluded.version`,
    [teamId, id, baseCurrency, version, FIRST_GENERATION],
  );
}

/** Keeps a base currency that was asked for, until a fact says it. */
export async function keepBaseCurrency(em: EntityManager, { teamId, projectId }: ProjectScope, currency: string) {
  await em.execute(
    `insert into projects (team_id, project_id, base_currency, version, generation) values (?, ?, ?, 0, ?)
     on conflict (team_id, project_id) do update set base_currency = excluded.base_currency
      where projects.base_currency is null`,
    [teamId, projectId, currency, FIRST_GENERATION],
  );
}

/** A project whose rows the caller alone may write until its transaction ends. */
export interface HeldProject extends ProjectScope {
  /** The rows that are shown. */
  readonly generation: number;
  /** The rows that a rebuild is making. */
  readonly building: number | null;
}

interface HeldRow {
  readonly team_id: TeamId;
  readonly project_id: ProjectId;
  readonly generation: number;
  readonly building: number | null;
}

/**
 * Locks projects, made if they are new, and notes that their figures include what happened at `newestAt`. Every writer
 * begins with this and in this order, so writers wait for each other and never in a circle.
 */
export async function holdProjects(
  tx: EntityManager,
  projects: readonly (ProjectScope & { readonly newestAt: Date | null })[],
): Promise<HeldProject[]> {
  if (projects.length === 0) return [];
  const rows = await executeBound<HeldRow>(
    tx,
    `insert into projects (team_id, project_id, version, newest_fact_at, generation)
     select "teamId", "projectId", 0, "newestAt", $1::int
       from jsonb_to_recordset($2::jsonb) as it ("teamId" text, "projectId" text, "newestAt" timestamptz)
      order by "teamId", "projectId"
     on conflict (team_id, project_id) do update
        set newest_fact_at = greatest(projects.newest_fact_at, excluded.newest_fact_at)
     returning team_id, project_id, generation, building`,
    [FIRST_GENERATION, JSON.stringify(projects)],
  );
  return rows.map(row => ({
    teamId: row.team_id,
    projectId: row.project_id,
    generation: row.generation,
    building: row.building,
  }));
}

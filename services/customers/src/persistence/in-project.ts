import type { EntityManager, EntityName } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';

/** A value of one project, for example the processor's id of one of its customers. */
export interface InProject extends ProjectScope {
  readonly value: string;
}

/** Returns a text that is different for each value of each project. */
export const keyOf = ({ teamId, projectId, value }: InProject): string => `${teamId}/${projectId}/${value}`;

/** Selects the rows that have one of the values in `column`, each in its own project, with one query. */
export function selectInProjects<Row extends object>(
  em: EntityManager,
  entity: EntityName<Row>,
  column: string,
  wanted: readonly InProject[],
) {
  const rows = wanted.map(({ teamId, projectId, value }) => ({ team_id: teamId, project_id: projectId, value }));
  return em.createQueryBuilder(entity).where(
    `(team_id, project_id, ${column}) in (
       select team_id, project_id, value
         from json_to_recordset(?::json) as wanted (team_id text, project_id text, value text))`,
    [JSON.stringify(rows)],
  );
}

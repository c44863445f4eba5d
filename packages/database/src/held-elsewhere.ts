import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { executeBound } from './bound-statement.ts';

interface HeldRows {
  readonly table: string;
  /** The column with the processor's id. */
  readonly column: string;
  /** A condition: whether a row has not been deleted. */
  readonly isLive: string;
}

/** Returns those of the processor's ids of which other projects of the team have live rows. */
export async function findHeldElsewhere(
  em: EntityManager,
  { table, column, isLive }: HeldRows,
  { teamId, projectId }: ProjectScope,
  processorIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await executeBound<{ id: string }>(
    em,
    `select distinct ${column} as id from ${table}
      where team_id = $1 and project_id <> $2 and ${column} = any($3::text[]) and ${isLive}`,
    [teamId, projectId, [...processorIds]],
  );
  return new Set(rows.map(({ id }) => id));
}

import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { NumberedObject } from '@billing/contracts/rpc/test-clocks';
import { executeBound } from '@billing/database/bound-statement';

/** Returns whether the last events of these objects have their positions in the project. */
export async function areRecorded(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  objects: readonly NumberedObject[],
): Promise<boolean> {
  const missing = await executeBound(
    em,
    `select 1 from json_to_recordset($3::json) as k(type text, id text, sequence int)
       left join event_sequences e on (e.team_id, e.project_id, e.object_type, e.object_id) = ($1, $2, k.type, k.id)
      where coalesce(e.sequence, 0) < k.sequence limit 1`,
    [teamId, projectId, JSON.stringify(objects)],
  );
  return missing.length === 0;
}

import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { executeBound, textArray } from '@billing/database/bound-statement';
import {
  FINAL_STATUSES,
  newestOfEach,
  rawTableOf,
  teamSchemaName,
  type RawObject,
  type RawTable,
} from '#domain/raw-object.ts';
import type { PipelineEvent } from './lease.ts';

/** An event as far as its object goes. */
type ObjectEvent = Pick<PipelineEvent, 'teamId' | 'type' | 'createdAt' | 'objectId' | 'object' | 'isFinal'>;

/**
 * Upserts the newest raw object of each event into its team's schema, in the caller's transaction: one statement per team
 * and table, in one order, so that copies of the service never wait for each other in a circle. The schemas must exist.
 */
export async function mirrorObjects(tx: EntityManager, events: readonly ObjectEvent[]): Promise<void> {
  for (const [teamId, ofTeam] of inOrder(Map.groupBy(events, event => event.teamId))) {
    for (const [table, ofTable] of inOrder(Map.groupBy(ofTeam, ({ type }) => rawTableOf(type)))) {
      const objects = newestOfEach(ofTable.flatMap(toRawObject));
      const { first = [], later = [] } = Object.groupBy(objects, ({ isFirst }) => (isFirst ? 'first' : 'later'));
      const isSameSecond = 'mirrored.processor_updated_at = excluded.processor_updated_at';
      await upsert(tx, { teamId, table, objects: later, replaces: `${isSameSecond} and ${STATUS_MAY_CHANGE}` });
      await upsert(tx, { teamId, table, objects: first, replaces: 'false' });
    }
  }
}

const inOrder = <Key extends string, Value>(groups: Map<Key, Value>): [Key, Value][] =>
  [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));

/** An object without an id (the preview of an upcoming invoice) has no place in a table by id. */
function toRawObject({ type, createdAt, objectId: id, object: json, isFinal }: ObjectEvent): RawObject[] {
  if (id === null) return [];
  const [deleted, isFirst] = [type.endsWith('.deleted'), type.endsWith('.created')];
  return [{ id, json, isFinal, updatedAt: createdAt, deleted, isFirst }];
}

const FINAL = FINAL_STATUSES.map(status => `'${status}'`).join(', ');
/** A final status is only replaced by another final one. */
const STATUS_MAY_CHANGE = `(coalesce(excluded.data->>'status', '') in (${FINAL})
  or coalesce(mirrored.data->>'status', '') not in (${FINAL}))`;

interface Upsert {
  readonly teamId: TeamId;
  readonly table: RawTable;
  readonly objects: readonly RawObject[];
  /** When an object replaces one of the same second. */
  readonly replaces: string;
}

/** Newer states replace older ones. A deleted object stays deleted. */
async function upsert(tx: EntityManager, { teamId, table, objects, replaces }: Upsert): Promise<void> {
  if (objects.length === 0) return;
  const schema = tx.getPlatform().quoteIdentifier(teamSchemaName(teamId));
  const rows = objects.map(({ id, updatedAt, deleted }) => ({ id, updated_at: updatedAt, deleted }));
  await executeBound(
    tx,
    `insert into ${schema}.${table} as mirrored (id, data, processor_updated_at, deleted)
     select id, unnest::json, updated_at, deleted
       from rows from (
              json_to_recordset($1::json) as (id text, updated_at timestamptz, deleted boolean),
              unnest($2::text[])) as o
     on conflict (id) do update set
       data = excluded.data, processor_updated_at = excluded.processor_updated_at, deleted = excluded.deleted
     where excluded.deleted >= mirrored.deleted
       and (excluded.deleted > mirrored.deleted
            or mirrored.processor_updated_at < excluded.processor_updated_at or ${replaces})`,
    [JSON.stringify(rows), textArray(objects.map(({ json }) => json))],
    { isDynamic: true },
  );
}

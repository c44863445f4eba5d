import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { executeBound, textArray } from '@billing/database/bound-statement';
import { countBytes, ROW_BYTES } from '../stored-bytes.ts';
import {
  FINAL_STATUSES,
  newestOfEach,
  rawTableOf,
  teamSchemaName,
  type RawObject,
  type RawTable,
} from './raw-object.rules.ts';
import type { PipelineEvent } from './lease.ts';

/** An event as far as its object goes. */
type ObjectEvent = Pick<PipelineEvent, 'teamId' | 'type' | 'createdAt' | 'objectId' | 'object' | 'isFinal'>;

/** By how many bytes the raw objects of teams have grown. */
type Growth = ReadonlyMap<TeamId, number>;

/**
 * Upserts the newest raw object of each event into its team's schema, in the caller's transaction: one statement per team
 * and table, in one order, so that copies of the service never wait for each other in a circle. The schemas must exist. The
 * transaction ends with `countMirrored`.
 */
export async function mirrorObjects(tx: EntityManager, events: readonly ObjectEvent[]): Promise<Growth> {
  const growth = new Map<TeamId, number>();
  for (const [teamId, ofTeam] of inOrder(Map.groupBy(events, event => event.teamId))) {
    for (const [table, ofTable] of inOrder(Map.groupBy(ofTeam, ({ type }) => rawTableOf(type)))) {
      const objects = newestOfEach(ofTable.flatMap(toRawObject));
      const { first = [], later = [] } = Object.groupBy(objects, ({ isFirst }) => (isFirst ? 'first' : 'later'));
      const isSameSecond = `mirrored.processor_updated_at = excluded.processor_updated_at
        and coalesce((${createdOf('excluded')}) >= (${createdOf('mirrored')}), true)`;
      const grown =
        (await upsert(tx, { teamId, table, objects: later, replaces: `${isSameSecond} and ${STATUS_MAY_CHANGE}` })) +
        (await upsert(tx, { teamId, table, objects: first, replaces: 'false' }));
      growth.set(teamId, (growth.get(teamId) ?? 0) + grown);
    }
  }
  return growth;
}

/** Counts the bytes of raw objects, in the transaction that has mirrored them and after everything else in it. */
export async function countMirrored(tx: EntityManager, growth: Growth): Promise<void> {
  const rows = [...growth].flatMap(([team_id, bytes]) =>
    bytes === 0 ? [] : [{ team_id, store: 'raw_objects', bytes }],
  );
  if (rows.length === 0) return;
  const grown = `json_to_recordset($1::json) as grown(team_id text, store text, bytes bigint)`;
  await executeBound(tx, countBytes(grown), [JSON.stringify(rows)]);
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

/** When Stripe created the object of a row, in seconds since 1970. */
const createdOf = (row: 'mirrored' | 'excluded'): string =>
  `case when json_typeof(${row}.data->'created') = 'number' then (${row}.data->>'created')::float8 end`;

/** Whether a deletion is of the object: another one may have been made under its id since. */
const endsLife = (deletion: 'mirrored' | 'excluded', object: 'mirrored' | 'excluded'): string =>
  `coalesce((${createdOf(object)}) <= coalesce((${createdOf(deletion)}), extract(epoch from ${deletion}.processor_updated_at)), true)`;

interface Upsert {
  readonly teamId: TeamId;
  readonly table: RawTable;
  readonly objects: readonly RawObject[];
  /** When an object replaces one of the same second. */
  readonly replaces: string;
}

/**
 * Newer states replace older ones. A deleted object stays deleted, until another one is made under its id. Returns by how many
 * bytes the table has grown.
 */
async function upsert(tx: EntityManager, { teamId, table, objects, replaces }: Upsert): Promise<number> {
  if (objects.length === 0) return 0;
  const schema = tx.getPlatform().quoteIdentifier(teamSchemaName(teamId));
  const rows = objects.map(({ id, updatedAt, deleted }) => ({ id, updated_at: updatedAt, deleted }));
  const [grown] = await executeBound<{ bytes: number }>(
    tx,
    `with saved as (
     insert into ${schema}.${table} as mirrored (id, data, processor_updated_at, deleted)
     select id, unnest::json, updated_at, deleted
       from rows from (
              json_to_recordset($1::json) as (id text, updated_at timestamptz, deleted boolean),
              unnest($2::text[])) as o
     on conflict (id) do update set
       data = excluded.data, processor_updated_at = excluded.processor_updated_at, deleted = excluded.deleted
     where case when excluded.deleted = mirrored.deleted
                then mirrored.processor_updated_at < excluded.processor_updated_at or (${replaces})
                when excluded.deleted then ${endsLife('excluded', 'mirrored')}
                else not ${endsLife('mirrored', 'excluded')} end
     returning octet_length(new.data::text) - coalesce(octet_length(old.data::text), -${ROW_BYTES.raw_objects}) as bytes)
     select coalesce(sum(bytes), 0)::int as bytes from saved`,
    [JSON.stringify(rows), textArray(objects.map(({ json }) => json))],
    { isDynamic: true },
  );
  return grown?.bytes ?? 0;
}

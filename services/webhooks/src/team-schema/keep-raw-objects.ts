import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import {
  LASTING_STATUSES,
  newestOfEach,
  rawTableOf,
  teamSchemaName,
  type RawObject,
  type RawTable,
} from '#domain/raw-object.ts';
import { executeBound, textArray } from '@billing/service/bound-statement';
import { sqlState } from '@billing/service/database';
import { createTeamSchema } from './create-team-schema.ts';

/** An event as far as its object goes. */
interface ObjectEvent {
  readonly teamId: TeamId;
  readonly type: ProcessorEventType;
  readonly createdAt: Date;
  readonly object: Readonly<Record<string, unknown>>;
}

/** No such schema; no such table. */
const NOT_THERE = new Set(['3F000', '42P01']);

/** Keeps the newest raw object of each event in its team's schema: one statement per team and table. */
export async function keepRawObjects(em: EntityManager, events: readonly ObjectEvent[]): Promise<void> {
  for (const [teamId, ofTeam] of Map.groupBy(events, event => event.teamId)) {
    for (const [table, ofTable] of Map.groupBy(ofTeam, ({ type }) => rawTableOf(type))) {
      const objects = newestOfEach(ofTable.flatMap(toRawObject));
      const { first = [], later = [] } = Object.groupBy(objects, ({ isFirst }) => (isFirst ? 'first' : 'later'));
      await keep(
        em,
        teamId,
        table,
        later,
        `kept.processor_updated_at = excluded.processor_updated_at and ${NO_SETBACK}`,
      );
      await keep(em, teamId, table, first, 'false');
    }
  }
}

/** An object without an id (an upcoming invoice's preview) has no place in a table by id. */
function toRawObject({ type, createdAt, object }: ObjectEvent): RawObject[] {
  const id = object['id'];
  if (typeof id !== 'string' || id === '') return [];
  const [deleted, isFirst] = [type.endsWith('.deleted'), type.endsWith('.created')];
  return [{ id, data: object, updatedAt: createdAt, deleted, isFirst }];
}

const LASTING = LASTING_STATUSES.map(status => `'${status}'`).join(', ');
/** A lasting status gives way to none but its like. */
const NO_SETBACK = `(coalesce(excluded.data->>'status', '') in (${LASTING}) or coalesce(kept.data->>'status', '') not in (${LASTING}))`;

/** Newer states replace older ones, and within one second where `replaces` holds. A deleted object stays deleted. */
async function keep(
  em: EntityManager,
  teamId: TeamId,
  table: RawTable,
  objects: readonly RawObject[],
  replaces: string,
): Promise<void> {
  if (objects.length === 0) return;
  const name = em.getPlatform().quoteIdentifier(teamSchemaName(teamId));
  const rows = objects.map(({ id, updatedAt, deleted }) => ({ id, updated_at: updatedAt, deleted }));
  const upsert = () =>
    executeBound(
      em.fork(),
      `insert into ${name}.${table} as kept (id, data, processor_updated_at, deleted)
       select id, unnest::json, updated_at, deleted
         from rows from (
                json_to_recordset($1::json) as (id text, updated_at timestamptz, deleted boolean),
                unnest($2::text[])) as o
       on conflict (id) do update set
         data = excluded.data, processor_updated_at = excluded.processor_updated_at, deleted = excluded.deleted
       where excluded.deleted >= kept.deleted
         and (excluded.deleted > kept.deleted or kept.processor_updated_at < excluded.processor_updated_at or ${replaces})`,
      [JSON.stringify(rows), textArray(objects.map(({ data }) => JSON.stringify(data)))],
    );
  try {
    await upsert();
  } catch (err) {
    if (!NOT_THERE.has(sqlState(err) ?? '')) throw err;
    await createTeamSchema(em, teamId);
    await upsert();
  }
}

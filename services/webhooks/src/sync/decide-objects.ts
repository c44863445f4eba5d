import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import type { FieldDifference, SyncType } from '@billing/contracts/resources/sync';
import { CompareObjects, SYNC_OWNERS, type Comparison } from '@billing/contracts/rpc/syncs';
import { executeBound } from '@billing/database/bound-statement';
import type { RpcClient } from '@billing/messaging/rpc';
import type { ListedObject } from '@billing/processor/port';
import { decide, type SyncDecision } from '#domain/sync-decision.ts';
import type { LeasedSync, StepParts } from './lease-syncs.ts';
import { detailsOf, type ObjectDetails } from './synced-objects.ts';

/** Characters of one call, unless one object has more: a message of the bus holds a megabyte. */
const MAX_CHARACTERS = 400_000;
const MAX_OBJECTS = 50;
const CALL_TIMEOUT_MS = 10_000;

/** What is decided on an object, and what differs. */
export interface DecidedObject extends SyncDecision {
  readonly recordId: string | null;
  readonly fields: readonly FieldDifference[];
}

/**
 * Decides on readings of objects of one type, in their order: the owning service compares them, `domain/sync-decision.ts` has the
 * rule.
 */
export function decideObjects({ em, rpc, now }: Pick<StepParts, 'em' | 'rpc' | 'now'>) {
  return async <Reading extends { readonly object: ListedObject }>(
    sync: LeasedSync,
    type: SyncType,
    readings: readonly Reading[],
  ): Promise<(Reading & DecidedObject)[]> => {
    const objects = readings.map(({ object }) => object);
    const details = objects.map(object => detailsOf(type, object));
    const [comparisons, relations] = await Promise.all([
      compareObjects(rpc, sync, type, objects),
      findRelations(em, sync, type, objects, details),
    ]);
    const rule = { scope: sync, filter: sync.filter, now: now() };
    return readings.map((reading, index) => {
      const [read, comparison, related] = [details[index], comparisons[index], relations[index]];
      if (!read || !comparison || !related) throw new Error('A comparison has another length than its request.');
      const { id: recordId, fields } = comparison;
      return { ...reading, ...decide({ ...read, ...related, type }, comparison, rule), recordId, fields };
    });
  };
}

/** Has the owning service compare objects, in several calls side by side. */
export async function compareObjects(
  rpc: RpcClient,
  { teamId, projectId }: LeasedSync,
  type: SyncType,
  objects: readonly ListedObject[],
): Promise<Comparison[]> {
  const chunks: ListedObject[][] = [];
  let characters = Infinity;
  for (const object of objects) {
    const size = JSON.stringify(object).length;
    characters += size;
    const last = chunks.at(-1);
    if (last && last.length < MAX_OBJECTS && characters <= MAX_CHARACTERS) last.push(object);
    else {
      chunks.push([object]);
      characters = size;
    }
  }
  const call = CompareObjects[SYNC_OWNERS[type]];
  const comparisons = await Promise.all(
    chunks.map(chunk => rpc.call(call, { teamId, projectId, type, objects: chunk }, CALL_TIMEOUT_MS)),
  );
  return comparisons.flat();
}

interface Relations {
  /** What this sync has decided on what an object belongs to. One that was to be recorded and was not counts as skipped. */
  readonly parents: readonly SyncDecision[];
  /** Other projects of the team that have a live record of it. */
  readonly holders: readonly ProjectId[];
}

/** Finds what else decides on objects, in their order. */
function findRelations(
  em: EntityManager,
  { id, teamId, projectId, mode }: LeasedSync,
  type: SyncType,
  objects: readonly ListedObject[],
  details: readonly ObjectDetails[],
) {
  const rows = objects.map(({ id: objectId }, index) => ({ id: objectId, parents: details[index]?.parents }));
  return executeBound<Relations>(
    em.fork(),
    `select coalesce((select json_agg(json_build_object('reason', s.reason, 'outcome',
                               case when s.outcome = 'missing' and $5 and not s.applied then 'skipped' else s.outcome end))
                        from json_to_recordset(o.parents) as p(kind text, id text)
                        join sync_objects s on s.sync_id = $1 and s.type = p.kind and s.processor_id = p.id), '[]') as parents,
            array(select r.project_id from routes r
                   where r.team_id = $2 and r.kind = $4 and r.processor_id = o.id and r.project_id <> $3 and not r.deleted) as holders
       from rows from (json_to_recordset($6::json) as (id text, parents json)) with ordinality as o(id, parents, place)
      order by place`,
    [id, teamId, projectId, type, mode === 'apply', JSON.stringify(rows)],
  );
}

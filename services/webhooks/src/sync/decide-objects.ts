import type { EntityManager } from '@mikro-orm/postgresql';
import type { FieldDifference, SyncType } from '@billing/contracts/resources/sync';
import { CompareObjects, SYNC_OWNERS, type Comparison } from '@billing/contracts/rpc/syncs';
import { executeBound } from '@billing/database/bound-statement';
import type { RpcClient } from '@billing/messaging/rpc';
import type { ListedObject } from '@billing/processor/port';
import { decide, type SyncDecision } from './sync-decision.rules.ts';
import type { ProjectScope } from '@billing/contracts/ids';
import type { LeasedSync, StepParts } from './lease-syncs.ts';
import { detailsOf, type ObjectDetails } from './synced-objects.rules.ts';

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
 * Decides on readings of objects of one type, in their order: the owning service compares them, `sync-decision.rules.ts` has the
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
      findParents(em, sync, details),
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
  { teamId, projectId }: ProjectScope,
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

/**
 * Finds what this sync has decided on what objects belong to, in their order. What was to be recorded and was not counts as
 * skipped.
 */
function findParents(em: EntityManager, { id, mode }: LeasedSync, details: readonly ObjectDetails[]) {
  const rows = details.map(({ parents }) => ({ parents }));
  return executeBound<{ readonly parents: readonly SyncDecision[] }>(
    em.fork(),
    `select coalesce((select json_agg(json_build_object('reason', s.reason, 'outcome',
                               case when s.outcome = 'missing' and $2 and not s.applied then 'skipped' else s.outcome end))
                        from json_to_recordset(o.parents) as p(kind text, id text)
                        join sync_objects s on s.sync_id = $1 and s.type = p.kind and s.processor_id = p.id), '[]') as parents
       from rows from (json_to_recordset($3::json) as (parents json)) with ordinality as o(parents, place)
      order by place`,
    [id, mode === 'apply', JSON.stringify(rows)],
  );
}

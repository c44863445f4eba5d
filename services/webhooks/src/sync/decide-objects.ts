import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import type { FieldDifference, SyncType } from '@billing/contracts/resources/sync';
import { CompareObjects, SYNC_OWNERS, type Comparison } from '@billing/contracts/rpc/syncs';
import { executeBound } from '@billing/database/bound-statement';
import type { RpcClient } from '@billing/messaging/rpc';
import type { ListedObject } from '@billing/processor/port';
import { decide, type SyncDecision } from '#domain/sync-decision.ts';
import type { Reference } from '#domain/route-hints.ts';
import type { LeasedSync } from './lease-syncs.ts';
import { detailsOf } from './synced-objects.ts';

/** Objects of one call, together and each: a message of the bus holds a megabyte. */
const MAX_CHARACTERS = 400_000;
const MAX_OBJECTS = 50;
const CALL_TIMEOUT_MS = 10_000;

/** What is decided on an object, and what differs. */
export interface DecidedObject extends SyncDecision {
  readonly recordId: string | null;
  readonly fields: readonly FieldDifference[];
}

interface DecideParts {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly now: () => Date;
}

/** Decides on objects of one type, in their order: the owning service compares them, `domain/sync-decision.ts` has the rule. */
export function decideObjects({ em, rpc, now }: DecideParts) {
  return async (sync: LeasedSync, type: SyncType, objects: readonly ListedObject[]): Promise<DecidedObject[]> => {
    const details = objects.map(object => detailsOf(type, object));
    const references = details.flatMap(it => it.parents);
    const [comparisons, parents, holders] = await Promise.all([
      compareObjects(rpc, sync, type, objects),
      findParents(em, sync, references),
      findHolders(em, sync, type, objects),
    ]);
    return objects.map((object, index) => {
      const comparison = comparisons[index];
      const known = details[index];
      if (!comparison || !known) throw new Error('A comparison has another length than its request.');
      const subject = {
        ...known,
        type,
        parents: known.parents.flatMap(it => parents.get(keyOf(it)) ?? []),
        holders: holders.get(object.id) ?? [],
      };
      const { id: recordId, fields } = comparison;
      return { ...decide(subject, comparison, { scope: sync, filter: sync.filter, now: now() }), recordId, fields };
    });
  };
}

/** Has the owning service compare objects, in several calls side by side. */
export async function compareObjects(
  rpc: RpcClient,
  { teamId, projectId }: Pick<LeasedSync, 'teamId' | 'projectId'>,
  type: SyncType,
  objects: readonly ListedObject[],
): Promise<Comparison[]> {
  const call = CompareObjects[SYNC_OWNERS[type]];
  const comparisons = await Promise.all(
    inChunks(objects).map(chunk => rpc.call(call, { teamId, projectId, type, objects: chunk }, CALL_TIMEOUT_MS)),
  );
  return comparisons.flat();
}

function inChunks(objects: readonly ListedObject[]): ListedObject[][] {
  const chunks: ListedObject[][] = [];
  let characters = 0;
  for (const object of objects) {
    const size = JSON.stringify(object).length;
    const last = chunks.at(-1);
    if (last && last.length < MAX_OBJECTS && characters + size <= MAX_CHARACTERS) {
      last.push(object);
      characters += size;
    } else {
      chunks.push([object]);
      characters = size;
    }
  }
  return chunks;
}

const keyOf = ({ kind, id }: Reference): string => `${kind} ${id}`;

interface ParentRow extends SyncDecision {
  readonly kind: string;
  readonly id: string;
}

/** What this sync has decided on what objects belong to. One that was to be recorded and was not counts as skipped. */
async function findParents(em: EntityManager, sync: LeasedSync, references: readonly Reference[]) {
  if (references.length === 0) return new Map<string, SyncDecision>();
  const rows = await executeBound<ParentRow>(
    em.fork(),
    `select o.type as kind, o.processor_id as id, o.reason,
            case when o.outcome = 'missing' and $3 and not o.applied then 'skipped' else o.outcome end as outcome
       from sync_objects o
       join (select distinct kind, id from json_to_recordset($2::json) as w(kind text, id text)) w
         on o.type = w.kind and o.processor_id = w.id
      where o.sync_id = $1`,
    [sync.id, JSON.stringify(references), sync.mode === 'apply'],
  );
  return new Map(rows.map(({ kind, id, outcome, reason }) => [`${kind} ${id}`, { outcome, reason }]));
}

/** Other projects of the team that have a live record of an object, by Stripe's id. */
async function findHolders(
  em: EntityManager,
  { teamId, projectId }: LeasedSync,
  type: SyncType,
  objects: readonly ListedObject[],
): Promise<ReadonlyMap<string, ProjectId[]>> {
  const rows = await executeBound<{ processor_id: string; project_id: ProjectId }>(
    em.fork(),
    `select processor_id, project_id from routes
      where team_id = $1 and kind = $2 and processor_id = any($3::text[]) and project_id <> $4 and not deleted`,
    [teamId, type, objects.map(({ id }) => id), projectId],
  );
  const groups = Map.groupBy(rows, row => row.processor_id);
  return new Map([...groups].map(([id, found]) => [id, found.map(row => row.project_id)]));
}

import type { EntityManager } from '@mikro-orm/postgresql';
import type { FindingOutcome, SyncType } from '@billing/contracts/resources/sync';
import { executeBound, textArray } from '@billing/database/bound-statement';
import type { ListedObject } from '@billing/processor/port';
import { countBytes, ROW_BYTES } from '../stored-bytes.ts';
import type { SyncObjectState } from './sync.entity.ts';
import type { DecidedObject } from './decide-objects.ts';
import type { LeasedSync } from './lease-syncs.ts';
import { detailsOf, parentTypeOf } from './synced-objects.rules.ts';
import { mayBeNamed } from './sync-decision.rules.ts';

/** The bytes of a row `o` of `sync_objects`; null where there is none. */
const bytesOf = (o: 'old' | 'new'): string =>
  `(${ROW_BYTES.sync_objects} + octet_length(${o}.fields::text) + coalesce(octet_length(${o}.object::text), 0))`;
/** What a statement on `sync_objects` returns of each row to `countBytes`: by how much it has grown. */
export const OBJECT_CHANGE = `coalesce(new.team_id, old.team_id) as team_id, 'syncs' as store,
  coalesce(${bytesOf('new')}, 0) - coalesce(${bytesOf('old')}, 0) as bytes`;

/** What is decided on an object, and what follows. */
export interface ObjectDecision extends DecidedObject {
  /** As it was read last. */
  readonly object: ListedObject;
  readonly state: SyncObjectState;
  /** How often it was read again. */
  readonly checks: number;
  /** By Stripe's clock. */
  readonly readAt: Date;
}

/**
 * Saves what is decided on objects; a suspect is looked at again after `recheckMs`. Objects that are stored already are
 * `kept` as they are or `replaced`. An object itself is stored only where it may be applied as it was read.
 */
export async function saveObjects(
  em: EntityManager,
  { id, teamId, projectId, mode }: LeasedSync,
  type: SyncType,
  decisions: readonly ObjectDecision[],
  { existing, recheckMs }: { readonly existing: 'kept' | 'replaced'; readonly recheckMs: number },
): Promise<void> {
  if (decisions.length === 0) return;
  const rows = decisions.map(({ object, ...decision }) => {
    const { email, metadata, createdAt, name, parentId } = detailsOf(type, object);
    const isMarked = metadata['teamId'] === teamId && metadata['projectId'] === projectId;
    const shown = mayBeNamed(decision) ? name : null;
    return { ...decision, processorId: object.id, email, createdAt, isMarked, name: shown, parentId };
  });
  const objects = decisions.map(({ state, outcome, object }) =>
    mode === 'apply' && (state === 'confirmed' || (state === 'suspect' && outcome === 'missing'))
      ? JSON.stringify(object)
      : '',
  );
  await executeBound(
    em,
    `with saved as (
     insert into sync_objects
            (sync_id, type, processor_id, team_id, project_id, state, object, read_at, email, created_at, is_marked,
             outcome, record_id, name, parent_id, parent_name, parent_record_id, fields, reason, applied, checks, due_at)
     select $1, $2, "processorId", $3, $4, o.state, nullif(o.object, '')::json, "readAt", o.email, "createdAt", "isMarked",
            o.outcome, "recordId", o.name, "parentId", p.name, p.record_id, o.fields, o.reason, false, o.checks,
            clock_timestamp() + make_interval(secs => $5::float8 / 1000)
       from rows from (
              json_to_recordset($6::json) as
                ("processorId" text, state text, "readAt" timestamptz, email text, "createdAt" timestamptz,
                 "isMarked" boolean, outcome text, "recordId" text, name text, "parentId" text, fields jsonb, reason text,
                 checks int),
              unnest($7::text[]))
              as o("processorId", state, "readAt", email, "createdAt", "isMarked", outcome, "recordId", name, "parentId",
                   fields, reason, checks, object)
       left join sync_objects p on p.sync_id = $1 and p.type = $8 and p.processor_id = o."parentId"
     on conflict (sync_id, type, processor_id) do ${existing === 'kept' ? 'nothing' : REPLACE}
     returning ${OBJECT_CHANGE})
     ${countBytes('saved')}`,
    [id, type, teamId, projectId, recheckMs, JSON.stringify(rows), textArray(objects), parentTypeOf(type)],
  );
}

const REPLACED =
  'state object read_at email created_at is_marked outcome record_id name parent_id parent_name parent_record_id fields reason checks due_at'.split(
    ' ',
  );
const REPLACE = `update set ${REPLACED.map(column => `${column} = excluded.${column}`).join(', ')}`;

/** What changes about an object; what is not given stays as it is, but for its reason. */
interface ObjectChange {
  readonly processorId: string;
  readonly state?: SyncObjectState;
  readonly outcome?: FindingOutcome;
  readonly recordId?: string | null;
  readonly applied?: boolean;
  readonly isMarked?: boolean;
  readonly reason?: string | null;
}

/** Changes objects that are not to be applied any more, and stores what was read of them no longer. */
export async function updateObjects(
  em: EntityManager,
  { id }: Pick<LeasedSync, 'id'>,
  type: SyncType,
  changes: readonly ObjectChange[],
): Promise<void> {
  await executeBound(
    em,
    `with changed as (
     update sync_objects o
        set object = null, state = coalesce(c.state, o.state), outcome = coalesce(c.outcome, o.outcome), reason = c.reason,
            record_id = coalesce(c."recordId", o.record_id), applied = coalesce(c.applied, o.applied),
            is_marked = coalesce(c."isMarked", o.is_marked)
       from json_to_recordset($3::json) as
            c("processorId" text, state text, outcome text, "recordId" text, applied boolean, "isMarked" boolean, reason text)
      where o.sync_id = $1 and o.type = $2 and o.processor_id = c."processorId"
     returning ${OBJECT_CHANGE})
     ${countBytes('changed')}`,
    [id, type, JSON.stringify(changes)],
  );
}

/** An object that a sync has stored. */
export interface StoredObject extends Omit<ObjectDecision, 'object' | 'readAt' | 'state'> {
  readonly processorId: string;
  readonly object: ListedObject | null;
  /** When it was read, in milliseconds since 1970. */
  readonly readMs: number;
}

interface Wanted {
  readonly state: SyncObjectState;
  readonly limit: number;
  /** Only those whose time has come. */
  readonly isDue?: boolean;
  /** Only those behind this id, so that the ones before, which have left the state, are not gone through again. */
  readonly after?: string | null;
}

/** Returns the next objects in a state, by their ids. */
export function nextObjects(
  em: EntityManager,
  { id }: Pick<LeasedSync, 'id'>,
  type: SyncType,
  { state, limit, isDue = false, after = null }: Wanted,
): Promise<readonly StoredObject[]> {
  return executeBound<StoredObject>(
    em.fork(),
    `select processor_id as "processorId", object, (extract(epoch from read_at) * 1000)::float8 as "readMs", outcome,
            record_id as "recordId", fields, reason, checks
       from sync_objects
      where sync_id = $1 and type = $2 and state = $3 and processor_id > $5
            ${isDue ? 'and due_at <= clock_timestamp()' : ''}
      order by processor_id limit $4`,
    [id, type, state, limit, after ?? ''],
  );
}

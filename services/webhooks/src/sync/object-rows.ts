import type { EntityManager } from '@mikro-orm/postgresql';
import type { SyncId } from '@billing/contracts/ids';
import type { FieldDifference, FindingOutcome, SyncType } from '@billing/contracts/resources/sync';
import { executeBound, textArray } from '@billing/database/bound-statement';
import type { ListedObject } from '@billing/processor/port';
import type { SyncObjectState } from '#persistence/sync-object.entity.ts';
import type { LeasedSync } from './lease-syncs.ts';
import { detailsOf } from './synced-objects.ts';

/** An object that a sync has stored. */
export interface StoredObject {
  readonly processorId: string;
  /** Null for a record whose object Stripe does not have. */
  readonly object: ListedObject | null;
  /** By Stripe's clock. */
  readonly readAt: Date;
  readonly outcome: FindingOutcome | 'same';
  readonly recordId: string | null;
  readonly fields: readonly FieldDifference[];
  readonly reason: string | null;
  readonly checks: number;
}

type Scope = Pick<LeasedSync, 'id' | 'teamId' | 'projectId'>;

/** Objects of the processor as they were read. */
export interface Reading {
  readonly objects: readonly ListedObject[];
  /** By Stripe's clock. */
  readonly readAt: Date;
}

/**
 * Stores objects and what is decided on each, in the caller's transaction; those that are stored already stay as they are.
 * Returns how many are new. What is done needs its object no more.
 */
export async function insertObjects(
  em: EntityManager,
  { id, teamId, projectId }: Scope,
  type: SyncType,
  { objects, readAt }: Reading,
  decisions: readonly ObjectDecision[],
): Promise<number> {
  if (objects.length === 0) return 0;
  const decisionOf = new Map(decisions.map(decision => [decision.processorId, decision]));
  const rows = objects.flatMap(object => {
    const decision = decisionOf.get(object.id);
    if (!decision) return [];
    const { email, metadata } = detailsOf(type, object);
    const isMarked = metadata['teamId'] === teamId && metadata['projectId'] === projectId;
    const kept = decision.state === 'done' ? '' : JSON.stringify(object);
    return [{ row: { ...decision, email, isMarked }, object: kept }];
  });
  const inserted = await executeBound(
    em,
    `insert into sync_objects
            (sync_id, type, processor_id, team_id, project_id, state, object, read_at, email, is_marked, outcome,
             record_id, fields, reason, applied, checks, due_at)
     select $1, $2, "processorId", $3, $4, state, nullif(object, '')::json, $5::timestamptz, email, "isMarked", outcome,
            "recordId", fields, reason, false, checks, clock_timestamp() + make_interval(secs => "dueInMs" / 1000)
       from rows from (
              json_to_recordset($6::json) as
                ("processorId" text, state text, email text, "isMarked" boolean, outcome text, "recordId" text,
                 fields jsonb, reason text, checks int, "dueInMs" float8),
              unnest($7::text[]))
              as o("processorId", state, email, "isMarked", outcome, "recordId", fields, reason, checks, "dueInMs", object)
     on conflict do nothing returning 1`,
    [
      id,
      type,
      teamId,
      projectId,
      readAt.toISOString(),
      JSON.stringify(rows.map(({ row }) => row)),
      textArray(rows.map(({ object }) => object)),
    ],
  );
  return inserted.length;
}

/** Stores records of which the processor seems to have no object; they are looked at again. */
export async function insertExtras(
  em: EntityManager,
  { id, teamId, projectId }: Scope,
  type: SyncType,
  extras: readonly { readonly processorId: string; readonly recordId: string; readonly readAt: Date }[],
  recheckMs: number,
): Promise<void> {
  if (extras.length === 0) return;
  await executeBound(
    em,
    `insert into sync_objects
            (sync_id, type, processor_id, team_id, project_id, state, read_at, is_marked, outcome, record_id, fields, applied, checks, due_at)
     select $1, $2, "processorId", $3, $4, 'suspect', "readAt", false, 'extra', "recordId", '[]', false, 0,
            clock_timestamp() + make_interval(secs => $6::float8 / 1000)
       from json_to_recordset($5::json) as o("processorId" text, "recordId" text, "readAt" timestamptz)
     on conflict do nothing`,
    [id, type, teamId, projectId, JSON.stringify(extras), recheckMs],
  );
}

interface StoredRow {
  readonly processor_id: string;
  readonly object: ListedObject | null;
  readonly read_ms: number;
  readonly outcome: StoredObject['outcome'];
  readonly record_id: string | null;
  readonly fields: readonly FieldDifference[];
  readonly reason: string | null;
  readonly checks: number;
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
export async function nextObjects(
  em: EntityManager,
  { id }: Pick<LeasedSync, 'id'>,
  type: SyncType,
  { state, limit, isDue = false, after = null }: Wanted,
): Promise<StoredObject[]> {
  const rows = await executeBound<StoredRow>(
    em.fork(),
    `select processor_id, object, (extract(epoch from read_at) * 1000)::float8 as read_ms, outcome, record_id, fields,
            reason, checks
       from sync_objects
      where sync_id = $1 and type = $2 and state = $3 and processor_id > $5
            ${isDue ? 'and due_at <= clock_timestamp()' : ''}
      order by processor_id limit $4`,
    [id, type, state, limit, after ?? ''],
  );
  return rows.map(row => ({
    processorId: row.processor_id,
    object: row.object,
    readAt: new Date(row.read_ms),
    outcome: row.outcome,
    recordId: row.record_id,
    fields: row.fields,
    reason: row.reason,
    checks: row.checks,
  }));
}

/** An object that was published and has no outcome yet. */
export interface SentObject {
  readonly processorId: string;
  readonly isDue: boolean;
}

/** Returns which objects of a type have no outcome yet: of certain ones, or of all. */
export async function findSent(
  em: EntityManager,
  { id }: Pick<LeasedSync, 'id'>,
  type: SyncType,
  among: readonly string[] | undefined,
): Promise<readonly SentObject[]> {
  if (among?.length === 0) return [];
  return executeBound<SentObject>(
    em.fork(),
    `select processor_id as "processorId", coalesce(due_at <= clock_timestamp(), true) as "isDue"
       from sync_objects
      where sync_id = $1 and type = $2 and state = 'sent' ${among ? 'and processor_id = any($3::text[])' : ''}`,
    among ? [id, type, among] : [id, type],
  );
}

/** Counts the objects of a type in a state. */
export async function countObjects(
  em: EntityManager,
  { id }: Pick<LeasedSync, 'id'>,
  type: SyncType,
  state: SyncObjectState,
): Promise<number> {
  const [row] = await executeBound<{ count: number }>(
    em.fork(),
    `select count(*)::int as count from sync_objects where sync_id = $1 and type = $2 and state = $3`,
    [id, type, state],
  );
  return row?.count ?? 0;
}

/** What is decided on an object. */
export interface ObjectDecision {
  readonly processorId: string;
  readonly state: SyncObjectState;
  readonly outcome: FindingOutcome | 'same';
  readonly recordId: string | null;
  readonly fields: readonly FieldDifference[];
  readonly reason: string | null;
  readonly checks: number;
  /** Until it is looked at again, in milliseconds; for a suspect. */
  readonly dueInMs?: number | undefined;
  /** What was read last, if it was read again. */
  readonly reread?: { readonly object: ListedObject | null; readonly readAt: Date } | undefined;
}

/** Saves what is decided on objects. What is done and equal needs its object no more. */
export async function saveDecisions(
  em: EntityManager,
  syncId: SyncId,
  type: SyncType,
  decisions: readonly ObjectDecision[],
): Promise<void> {
  if (decisions.length === 0) return;
  const rows = decisions.map(({ reread, dueInMs = null, ...decision }) => ({
    ...decision,
    dueInMs,
    isReread: reread !== undefined,
    object: reread?.object ?? null,
    readAt: reread?.readAt ?? null,
  }));
  await executeBound(
    em,
    `update sync_objects o
        set state = d.state, outcome = d.outcome, record_id = d."recordId", fields = d.fields, reason = d.reason,
            checks = d.checks, due_at = clock_timestamp() + make_interval(secs => d."dueInMs" / 1000),
            read_at = case when d."isReread" then d."readAt" else o.read_at end,
            object = case when d.state = 'done' then null when d."isReread" then d.object else o.object end
       from json_to_recordset($3::json) as
            d("processorId" text, state text, outcome text, "recordId" text, fields jsonb, reason text, checks int,
              "dueInMs" float8, "isReread" boolean, object json, "readAt" timestamptz)
      where o.sync_id = $1 and o.type = $2 and o.processor_id = d."processorId"`,
    [syncId, type, JSON.stringify(rows)],
  );
}

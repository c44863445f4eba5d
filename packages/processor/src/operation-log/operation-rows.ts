import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { leaseRows, type LeasedTable } from '@billing/database/lease-rows';
import { FENCE, passFence } from './account-fence.ts';

/** How long an operation is leased, in seconds: a call with its retries fits. */
const LEASE_SECONDS = 20;
/** The processor forgets idempotency keys after 24 hours; an operation that was sent longer ago can't be repeated. */
const REPEATABLE_HOURS = 23;
/** How long a canceled operation stays in the log: the processor remembers a refusal under its key that long. */
const CANCELED_HOURS = 24;
/** Operations of one team that a process leases at once. */
const MAX_PER_TEAM = 4;

/** An operation of the log that this process works on. */
export interface LeasedOperation extends ProjectScope {
  readonly id: string;
  readonly kind: string;
  readonly resourceId: string;
  readonly input: unknown;
  readonly keyVersion: number;
  readonly attempts: number;
  readonly leaseId: string;
  /** Whether it may have been sent under this key. */
  readonly isSent: boolean;
  /** Whether nothing more is sent under this key. */
  readonly isKeyClosed: boolean;
  /** Whether it was sent so long ago that a repeat under the same key could do it twice. */
  readonly isTooOld: boolean;
  /** The least version of the team's credentials with which it may be sent. */
  readonly fence: number;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
}

const COLUMNS = `id, team_id as "teamId", project_id as "projectId", kind, resource_id as "resourceId", input,
  key_version as "keyVersion", attempts, lease_id as "leaseId", sent_at is not null as "isSent",
  key_closed_at is not null as "isKeyClosed",
  coalesce(sent_at < clock_timestamp() - interval '${REPEATABLE_HOURS} hours', false) as "isTooOld",
  ${FENCE} as fence,
  (extract(epoch from created_at) * 1000)::float8 as "createdMs"`;
const LEASE = `lease_id = gen_random_uuid(), due_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
  attempts = attempts + 1`;

const TABLE: LeasedTable = {
  table: 'remote_operations',
  key: ['id'],
  leaseSeconds: LEASE_SECONDS,
  attempts: 'attempts',
  maxPerTeam: MAX_PER_TEAM,
  columns: COLUMNS,
};

/** One operation, or the open one on a resource. */
type OperationReference = { readonly id: string } | { readonly resourceId: string };

const conditionOf = (where: OperationReference): [string, string] =>
  'id' in where ? ['id = $1', where.id] : ['resource_id = $1', where.resourceId];

/** Leases up to `limit` due operations, few of each team. */
export async function leaseDue(em: EntityManager, limit: number): Promise<readonly LeasedOperation[]> {
  const { rows } = await leaseRows<LeasedOperation>(em, TABLE, limit);
  return rows;
}

/**
 * Leases one operation, before it is due if nobody works on it. Null when there is none, another process works on it, or
 * its key is closed and the last call under it may not have ended.
 */
export async function leaseOne(em: EntityManager, where: OperationReference): Promise<LeasedOperation | null> {
  const [condition, value] = conditionOf(where);
  const [row] = await executeBound<LeasedOperation>(
    em.fork(),
    `update remote_operations set ${LEASE}
      where ${condition} and due_at is not null
        and (due_at <= clock_timestamp() or (lease_id is null and key_closed_at is null))
      returning ${COLUMNS}`,
    [value],
  );
  return row ?? null;
}

export interface NewOperation extends ProjectScope {
  /** The operation key. */
  readonly key: string;
  readonly kind: string;
  readonly resourceId: string;
  readonly input: unknown;
}

/**
 * Inserts an operation that is sent at once by the caller, under its next key if it was canceled before. `isSent` is
 * false when the input still has to be prepared. Null when another operation on the resource is open.
 */
export async function insertLeased(
  tx: EntityManager,
  { key, teamId, projectId, kind, resourceId, input }: NewOperation,
  isSent: boolean,
): Promise<LeasedOperation | null> {
  const keyVersion = ((await deleteCanceled(tx, key)) ?? 0) + 1;
  await passFence(tx, teamId);
  const [row] = await executeBound<LeasedOperation>(
    tx,
    `insert into remote_operations
            (id, team_id, project_id, kind, resource_id, input, key_version, sent_at, attempts, due_at, lease_id, created_at)
     values ($1, $2, $3, $4, $5, $6::jsonb, $7, case when $8 then clock_timestamp() end, 1,
             clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}), gen_random_uuid(), clock_timestamp())
     on conflict (resource_id) where due_at is not null do nothing
     returning ${COLUMNS}`,
    [key, teamId, projectId, kind, resourceId, JSON.stringify(input), keyVersion, isSent],
  );
  return row ?? null;
}

/** Deletes an operation that was canceled; returns its key version, undefined when there is none. */
async function deleteCanceled(tx: EntityManager, key: string): Promise<number | undefined> {
  const [canceled] = await executeBound<{ key_version: number }>(
    tx,
    'delete from remote_operations where id = $1 and due_at is null returning key_version',
    [key],
  );
  return canceled?.key_version;
}

/** Inserts operations that the reconciler sends; one whose key is in the log already is left out. */
export const insertDue = (tx: EntityManager, operations: readonly NewOperation[]): Promise<void> =>
  insertUnless('conflict (id)', tx, operations);

/** Does the same, and leaves out those on resources on which another operation is open. */
export const insertIfIdle = (tx: EntityManager, operations: readonly NewOperation[]): Promise<void> =>
  insertUnless('conflict', tx, operations);

async function insertUnless(
  conflict: 'conflict' | 'conflict (id)',
  tx: EntityManager,
  operations: readonly NewOperation[],
): Promise<void> {
  if (operations.length === 0) return;
  for (const teamId of new Set(operations.map(it => it.teamId))) await passFence(tx, teamId);
  const rows = operations.map(({ key, teamId, projectId, kind, resourceId, input }) => {
    return { id: key, team_id: teamId, project_id: projectId, kind, resource_id: resourceId, input };
  });
  await executeBound(
    tx,
    `insert into remote_operations
            (id, team_id, project_id, kind, resource_id, input, key_version, attempts, due_at, created_at)
     select id, team_id, project_id, kind, resource_id, input, 1, 0, clock_timestamp(), clock_timestamp()
       from json_to_recordset($1::json) as
            o (id text, team_id text, project_id text, kind text, resource_id text, input jsonb)
     on ${conflict} do nothing`,
    [JSON.stringify(rows)],
  );
}

/**
 * Inserts an operation again that was canceled, under a key that it has not had, for the reconciler. `createdAt` is when
 * it was first logged: what an earlier key may have done is searched for from then on, before anything is sent.
 */
export async function insertAgain(tx: EntityManager, operation: NewOperation, createdAt: Date): Promise<void> {
  const { key, teamId, projectId, kind, resourceId, input } = operation;
  // The processor may remember the first key longer than the log does, so it is never sent again.
  const version = ((await deleteCanceled(tx, key)) ?? 1) + 1;
  await passFence(tx, teamId);
  await executeBound(
    tx,
    `insert into remote_operations
            (id, team_id, project_id, kind, resource_id, input, key_version, attempts, due_at, created_at)
     values ($1, $2, $3, $4, $5, $6::jsonb, $7, 0, clock_timestamp(), $8)`,
    [key, teamId, projectId, kind, resourceId, JSON.stringify(input), version, createdAt],
  );
}

/**
 * Notes that the operation is sent now, with this input, and renews the lease. False when the lease is over: then
 * another process may have closed the key.
 */
export function markSent(em: EntityManager, operation: LeasedOperation, input: unknown): Promise<boolean> {
  return updateHeld(
    em,
    operation,
    `sent_at = coalesce(sent_at, clock_timestamp()), input = $3::jsonb,
     due_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`,
    { and: 'due_at > clock_timestamp()', values: [JSON.stringify(input)] },
  );
}

/** Releases the operation for another attempt after so many seconds. */
export function postpone(em: EntityManager, operation: LeasedOperation, seconds: number): Promise<boolean> {
  const change = 'lease_id = null, due_at = clock_timestamp() + make_interval(secs => $3::float8)';
  return updateHeld(em, operation, change, { values: [seconds] });
}

/** Lets nothing more be sent under the operation's key, and releases it until the last call under it has surely ended. */
export function closeKey(em: EntityManager, operation: LeasedOperation, seconds: number): Promise<boolean> {
  const change = `key_closed_at = clock_timestamp(), lease_id = null,
    due_at = clock_timestamp() + make_interval(secs => $3::float8)`;
  return updateHeld(em, operation, change, { values: [seconds] });
}

/** Takes the next key version; nothing was sent under it. */
export async function takeNextKey(em: EntityManager, operation: LeasedOperation): Promise<LeasedOperation | null> {
  const change = 'key_version = key_version + 1, key_closed_at = null, sent_at = null';
  if (!(await updateHeld(em, operation, change))) return null;
  return { ...operation, keyVersion: operation.keyVersion + 1, isSent: false, isKeyClosed: false, isTooOld: false };
}

/** Ends an operation without a result. It stays in the log for a day, so that the same key is not sent again. */
export function markCanceled(tx: EntityManager, operation: LeasedOperation): Promise<boolean> {
  const change = `due_at = null, lease_id = null, input = 'null', key_closed_at = clock_timestamp()`;
  return updateHeld(tx, operation, change, { and: 'due_at is not null' });
}

/** Changes an operation that this process still holds; false when another has taken it over, or it has ended. */
async function updateHeld(
  em: EntityManager,
  { id, leaseId }: LeasedOperation,
  change: string,
  { and = 'true', values = [] }: { and?: string; values?: readonly unknown[] } = {},
): Promise<boolean> {
  const rows = await executeBound<unknown>(
    em,
    `update remote_operations set ${change} where id = $1 and lease_id = $2 and ${and} returning 1`,
    [id, leaseId, ...values],
  );
  return rows.length > 0;
}

/** Locks an open operation until the transaction ends, so that one of two who sent it commits; false when it has ended. */
export async function lockOpen(tx: EntityManager, id: string): Promise<boolean> {
  const rows = await executeBound<unknown>(
    tx,
    'select 1 from remote_operations where id = $1 and due_at is not null for update',
    [id],
  );
  return rows.length > 0;
}

/** Returns whether an operation is open. */
export async function isOpen(em: EntityManager, where: OperationReference): Promise<boolean> {
  const [condition, value] = conditionOf(where);
  const rows = await executeBound<unknown>(
    em,
    `select 1 from remote_operations where ${condition} and due_at is not null`,
    [value],
  );
  return rows.length > 0;
}

/** Returns those of the operations that are open. */
export async function findOpen(em: EntityManager, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await executeBound<{ id: string }>(
    em,
    'select id from remote_operations where id = any($1::text[]) and due_at is not null',
    [[...ids]],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Deletes a finished operation from the log. */
export async function deleteOperation(tx: EntityManager, id: string): Promise<void> {
  await executeBound(tx, 'delete from remote_operations where id = $1', [id]);
}

/** Deletes operations that were canceled more than a day ago. */
export async function deleteCanceledOperations(em: EntityManager, batchSize = 5_000): Promise<void> {
  await executeBound(
    em.fork(),
    `delete from remote_operations where id in (
       select id from remote_operations
        where due_at is null and key_closed_at < clock_timestamp() - interval '${CANCELED_HOURS} hours' limit $1)`,
    [batchSize],
  );
}

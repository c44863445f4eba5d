import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, SyncId, TeamId } from '@billing/contracts/ids';
import type { SyncError, SyncMode, SyncType } from '@billing/contracts/resources/sync';
import { executeBound } from '@billing/database/bound-statement';
import { leaseRows, type LeasedTable } from '@billing/database/lease-rows';
import type { SyncFilter } from '#domain/sync-decision.ts';
import type { SyncPhase, SyncStage } from '#domain/sync-stage.ts';

/** Longer than a step may take, with the retries of its calls to Stripe. */
const LEASE_SECONDS = 60;
/** The longest pause after a failure, in seconds. */
const LONGEST_PAUSE_SECONDS = 300;

const SYNCS: LeasedTable = {
  table: 'syncs',
  key: ['id'],
  leaseSeconds: LEASE_SECONDS,
  columns: `id, team_id, project_id, mode, types, filter, mark_at_processor, type, phase, after, failures,
    (extract(epoch from coalesce(started_at, clock_timestamp())) * 1000)::float8 as started_ms`,
};

/** A sync that this process works on. */
export interface LeasedSync {
  readonly id: SyncId;
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  readonly mode: SyncMode;
  readonly types: readonly SyncType[];
  readonly filter: SyncFilter;
  readonly markAtProcessor: boolean;
  readonly stage: SyncStage;
  readonly startedAt: Date;
  /** Failures one after another before this lease. */
  readonly failures: number;
  readonly leaseId: string;
}

interface LeasedRow {
  readonly id: SyncId;
  readonly team_id: TeamId;
  readonly project_id: ProjectId;
  readonly mode: SyncMode;
  readonly types: readonly SyncType[];
  readonly filter: SyncFilter;
  readonly mark_at_processor: boolean;
  readonly type: SyncType;
  readonly phase: SyncPhase;
  readonly after: string | null;
  readonly failures: number;
  readonly started_ms: number;
}

/** Leases up to `limit` syncs that are due. */
export async function leaseSyncs(em: EntityManager, limit: number): Promise<LeasedSync[]> {
  const { leaseId, rows } = await leaseRows<LeasedRow>(em, SYNCS, limit);
  return rows.map(row => ({
    id: row.id,
    teamId: row.team_id,
    projectId: row.project_id,
    mode: row.mode,
    types: row.types,
    filter: row.filter,
    markAtProcessor: row.mark_at_processor,
    stage: { type: row.type, phase: row.phase, after: row.after },
    startedAt: new Date(row.started_ms),
    failures: row.failures,
    leaseId,
  }));
}

type Held = Pick<LeasedSync, 'id' | 'leaseId'>;

/** Saves that work has begun. */
export function startSync(em: EntityManager, sync: Held): Promise<boolean> {
  return updateHeld(em.fork(), sync, `status = 'running', started_at = coalesce(started_at, clock_timestamp())`, []);
}

/** Saves where a sync is and extends its lease; false when it was canceled, or another copy has leased it. */
export function saveStage(em: EntityManager, sync: Held, { type, phase, after }: SyncStage): Promise<boolean> {
  return updateHeld(
    em.fork(),
    sync,
    `type = $3, phase = $4, after = $5, failures = 0, due_at = clock_timestamp() + make_interval(secs => $6::float8)`,
    [type, phase, after, LEASE_SECONDS],
  );
}

/** Adds what a page brought to the progress of a type; the total is known after the last one. */
export function saveProgress(
  em: EntityManager,
  sync: Held,
  { type, read, after, isLast }: { type: SyncType; read: number; after: string | null; isLast: boolean },
): Promise<boolean> {
  const before = `coalesce((progress -> $3 ->> 'read')::int, 0)`;
  return updateHeld(
    em,
    sync,
    `after = $5, failures = 0, progress = progress || jsonb_build_object($3::text, jsonb_build_object(
       'read', ${before} + $4::int, 'total', case when $6::boolean then ${before} + $4::int end))`,
    [type, read, after, isLast],
  );
}

/** Ends a sync; what it has found stays. */
export function failSync(em: EntityManager, sync: Held, error: SyncError): Promise<boolean> {
  return updateHeld(
    em.fork(),
    sync,
    `status = 'failed', error = $3::jsonb, finished_at = clock_timestamp(), due_at = null, lease_id = null`,
    [JSON.stringify(error)],
  );
}

/** Releases a sync: after a failure it waits for a growing time. */
export async function releaseSync(em: EntityManager, sync: LeasedSync, { hasFailed }: { hasFailed: boolean }) {
  const seconds = hasFailed ? Math.min(2 ** Math.min(sync.failures, 20), LONGEST_PAUSE_SECONDS) : 0;
  await updateHeld(
    em.fork(),
    sync,
    `lease_id = null, failures = failures + $4::int, due_at = clock_timestamp() + make_interval(secs => $3::float8)`,
    [seconds, hasFailed ? 1 : 0],
  );
}

/** Sets columns of a sync whose lease is held; `$1` and `$2` are its id and its lease. */
export async function updateHeld(
  em: EntityManager,
  { id, leaseId }: Held,
  set: string,
  values: readonly unknown[],
): Promise<boolean> {
  const rows = await executeBound(em, `update syncs set ${set} where id = $1 and lease_id = $2 returning 1`, [
    id,
    leaseId,
    ...values,
  ]);
  return rows.length > 0;
}

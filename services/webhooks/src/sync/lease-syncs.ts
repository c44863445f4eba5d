import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, SyncId, TeamId } from '@billing/contracts/ids';
import type { SyncMode, SyncType } from '@billing/contracts/resources/sync';
import { executeBound } from '@billing/database/bound-statement';
import { leaseRows, type LeasedTable } from '@billing/database/lease-rows';
import type { RpcClient } from '@billing/messaging/rpc';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { SyncFilter } from '#domain/sync-decision.ts';
import type { SyncStage } from '#domain/sync-stage.ts';

/** Longer than a step may take, with the retries of its calls to Stripe. */
const LEASE_SECONDS = 60;
/** The longest pause after a failure, in seconds. */
const LONGEST_PAUSE_SECONDS = 300;

const SYNCS: LeasedTable = {
  table: 'syncs',
  key: ['id'],
  leaseSeconds: LEASE_SECONDS,
  order: `due_at + case when nightly then interval '1 hour' else interval '0' end`,
  columns: `id, team_id as "teamId", project_id as "projectId", mode, types, filter, mark_at_processor as "markAtProcessor",
    jsonb_build_object('type', type, 'phase', phase, 'after', after) as stage, failures, lease_id as "leaseId",
    (extract(epoch from coalesce(started_at, clock_timestamp())) * 1000)::float8 as "startedMs"`,
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
  /** Failures one after another before this lease. */
  readonly failures: number;
  readonly leaseId: string;
  /** In milliseconds since 1970. */
  readonly startedMs: number;
}

/** Leases up to `limit` syncs that are due, the longest due first. Reports of the night stand back for an hour. */
export const leaseSyncs = async (em: EntityManager, limit: number): Promise<readonly LeasedSync[]> =>
  (await leaseRows<LeasedSync>(em, SYNCS, limit)).rows;

type Held = Pick<LeasedSync, 'id' | 'leaseId'>;

/** Saves where a sync is and extends its lease; false when it was canceled, or another copy has leased it. */
export function saveStage(
  em: EntityManager,
  sync: Held,
  { type, phase, after }: SyncStage,
  failures: number,
): Promise<boolean> {
  return updateHeld(
    em.fork(),
    sync,
    `status = 'running', started_at = coalesce(started_at, clock_timestamp()), type = $3, phase = $4, after = $5,
     failures = $6, due_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`,
    [type, phase, after, failures],
  );
}

/** Releases a sync behind the others that are due; after a failure it waits for a growing time. */
export function releaseSync(em: EntityManager, sync: LeasedSync, { hasFailed }: { hasFailed: boolean }) {
  const seconds = hasFailed ? Math.min(2 ** Math.min(sync.failures, 20), LONGEST_PAUSE_SECONDS) : 0;
  const set = `lease_id = null, failures = failures + $4::int, due_at = clock_timestamp() + make_interval(secs => $3::float8)`;
  return updateHeld(em.fork(), sync, set, [seconds, hasFailed ? 1 : 0]);
}

/** The columns of a sync that has ended, but its status. */
export const ENDED = `finished_at = clock_timestamp(), due_at = null, lease_id = null`;

/**
 * Sets columns of a sync whose lease is held; `$1` and `$2` are its id and its lease. False when it was canceled or deleted, or
 * another copy has leased it: until the caller's transaction ends, nobody can do that.
 */
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

/** What the steps of a sync work with. */
export interface StepParts {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
  /** Waits until the next request to Stripe may be made. */
  readonly pace: () => Promise<void>;
  /** Rows were stored that the pipeline has to publish. */
  readonly onStored: () => void;
  readonly now: () => Date;
  /** Until an object that differs is read again, in milliseconds. */
  readonly recheckMs: number;
}

/** How a step ended: `done` ends the phase; otherwise it is called once more, after `waitMs` if given. */
export type StepResult =
  | 'done'
  | { /** Where the next page begins. */ readonly after?: string | null; readonly waitMs?: number };

/** One bounded part of a phase, much shorter than the lease. Whatever it found is saved, and it may run twice. */
export type Step = (sync: LeasedSync, stage: SyncStage) => Promise<StepResult>;

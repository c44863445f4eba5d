import type { EntityManager } from '@mikro-orm/postgresql';
import type { SyncId } from '@billing/contracts/ids';
import { leaseRows, type LeasedTable } from '@billing/database/lease-rows';
import type { RpcClient } from '@billing/messaging/rpc';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { heldRows, LEASE_SECONDS, type LongWork } from '@billing/processor/turns';
import type { SyncType } from '@billing/contracts/resources/sync';
import type { Sync } from './sync.entity.ts';
import type { SyncStage } from './sync-stage.rules.ts';

const SYNCS: LeasedTable = {
  table: 'syncs',
  key: ['id'],
  leaseSeconds: LEASE_SECONDS,
  order: `due_at + case when nightly then interval '1 hour' else interval '0' end`,
  columns: `id, team_id as "teamId", project_id as "projectId", kind, mode, types, filter, mark_at_processor as "markAtProcessor",
    jsonb_build_object('type', type, 'phase', phase, 'after', after) as stage, failures, lease_id as "leaseId",
    (extract(epoch from coalesce(started_at, clock_timestamp())) * 1000)::float8 as "startedMs"`,
};

/** A sync that this process works on. */
export interface LeasedSync extends LongWork, Pick<Sync, 'id' | 'kind' | 'mode' | 'filter' | 'markAtProcessor'> {
  readonly id: SyncId;
  /** In the order in which they are compared; none of a sync with a document. */
  readonly types: readonly SyncType[];
  readonly stage: SyncStage;
  /** In milliseconds since 1970. */
  readonly startedMs: number;
}

/** Leases up to `limit` syncs that are due, the longest due first. Reports of the night stand back for an hour. */
export const leaseSyncs = async (em: EntityManager, limit: number): Promise<readonly LeasedSync[]> =>
  (await leaseRows<LeasedSync>(em, SYNCS, limit)).rows;

/** Sets columns of a sync whose lease is held; false when it is not. */
export const updateHeld = heldRows('syncs');

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
  /** Until an object that differs is compared again, in milliseconds. */
  readonly recheckMs: number;
}

/** How a step ended: `done` ends the phase; otherwise it is called once more, after `waitMs` if given. */
export type StepResult =
  | 'done'
  | { /** Where the next page begins. */ readonly after?: string | null; readonly waitMs?: number };

/** One bounded part of a phase, much shorter than the lease. Whatever it found is saved, and it may run twice. */
export type Step = (sync: LeasedSync, stage: SyncStage) => Promise<StepResult>;

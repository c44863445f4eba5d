import type { EntityManager } from '@mikro-orm/postgresql';
import type { RpcClient } from '@billing/messaging/rpc';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { SyncStage } from '#domain/sync-stage.ts';
import type { LeasedSync } from './lease-syncs.ts';

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

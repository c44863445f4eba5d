import type { EntityManager } from '@mikro-orm/postgresql';
import type { PublishMessage } from '@billing/messaging/bus';
import type { RpcClient } from '@billing/messaging/rpc';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { SyncStage } from '#domain/sync-stage.ts';
import type { TeamSchemas } from '#persistence/team-schema.ts';
import type { LeasedSync } from './lease-syncs.ts';

/** What the steps of a sync work with. */
export interface StepParts {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
  readonly publish: PublishMessage;
  readonly schemas: TeamSchemas;
  /** Waits until the next request to Stripe may be made. */
  readonly pace: () => Promise<void>;
  readonly now: () => Date;
  /** Until an object that differs is read again, in milliseconds. */
  readonly recheckMs: number;
}

/**
 * How a step ended: `again` calls it once more, after `waitMs` if given; `done` ends the phase. Whatever it found is saved.
 */
export interface StepResult {
  readonly next: 'again' | 'done';
  /** Where the next page begins. */
  readonly after?: string | null;
  readonly waitMs?: number;
}

/** One bounded part of a phase: much shorter than the lease. */
export type Step = (sync: LeasedSync, stage: SyncStage) => Promise<StepResult>;

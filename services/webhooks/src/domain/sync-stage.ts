import type { SyncMode, SyncType } from '@billing/contracts/resources/sync';

/**
 * What a sync does with the objects of one type, in this order:
 * - `read`: reads all pages of the processor's list and compares the objects with the records
 * - `extras`: looks at the processor for records that no page had
 * - `conflicts`: chooses between customers with the same e-mail
 * - `recheck`: reads again what differs, since a change may have been on its way
 * - `apply`: has the owning services record what differs, and waits for their outcomes
 * - `verify`: compares what was recorded
 * - `mark`: writes our ids into the metadata at the processor
 */
export const SYNC_PHASES = ['read', 'extras', 'conflicts', 'recheck', 'apply', 'verify', 'mark'] as const;
export type SyncPhase = (typeof SYNC_PHASES)[number];

/** Where a sync is. */
export interface SyncStage {
  readonly type: SyncType;
  readonly phase: SyncPhase;
  /** Where the next page begins; null for the first one. */
  readonly after: string | null;
}

interface SyncPlan {
  readonly types: readonly SyncType[];
  readonly mode: SyncMode;
  readonly markAtProcessor: boolean;
}

/** Returns where a sync begins. */
export const firstStage = ({ types: [type = 'product'] }: Pick<SyncPlan, 'types'>): SyncStage => ({
  type,
  phase: 'read',
  after: null,
});

/** Returns the stage after a phase that is complete; null at the end. */
export function nextStage(plan: SyncPlan, { type, phase }: SyncStage): SyncStage | null {
  const later = SYNC_PHASES.slice(SYNC_PHASES.indexOf(phase) + 1).find(it => isNeeded(it, type, plan));
  if (later) return { type, phase: later, after: null };
  const next = plan.types[plan.types.indexOf(type) + 1];
  return next ? { type: next, phase: 'read', after: null } : null;
}

function isNeeded(phase: SyncPhase, type: SyncType, { mode, markAtProcessor }: SyncPlan): boolean {
  if (phase === 'conflicts') return type === 'customer';
  if (phase === 'mark') return mode === 'apply' && markAtProcessor && type !== 'invoice';
  return mode === 'apply' || (phase !== 'apply' && phase !== 'verify');
}

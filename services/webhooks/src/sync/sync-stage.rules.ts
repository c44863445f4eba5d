import type { SyncMode, SyncType } from '@billing/contracts/resources/sync';

/**
 * What a sync does with the objects of one type, in this order:
 * - `read`: reads all pages of the processor's list and compares the objects with the records
 * - `extras`: adds the records that no page had
 * - `conflicts`: chooses between customers with the same e-mail
 * - `recheck`: compares again what differs, since a change may have been on its way
 * - `apply`: has the owning services record what differs, and compares again
 * - `mark`: writes our ids into the metadata at the processor
 */
const PHASES = ['read', 'extras', 'conflicts', 'recheck', 'apply', 'mark'] as const;
export type SyncPhase = (typeof PHASES)[number];

/** Where a sync is. */
export interface SyncStage {
  readonly type: SyncType;
  readonly phase: SyncPhase;
  /** Where the next page begins; null for the first one. */
  readonly after: string | null;
}

interface SyncPlan {
  /** In the order of `SYNC_TYPES`. */
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
  const stages = plan.types.flatMap(each => PHASES.map((one): SyncStage => ({ type: each, phase: one, after: null })));
  const place = stages.findIndex(it => it.type === type && it.phase === phase);
  return stages.slice(place + 1).find(it => isNeeded(it, plan)) ?? null;
}

function isNeeded({ type, phase }: SyncStage, { mode, markAtProcessor }: SyncPlan): boolean {
  if (phase === 'conflicts') return type === 'customer';
  if (phase === 'mark') return mode === 'apply' && markAtProcessor && type !== 'invoice' && type !== 'payment';
  return mode === 'apply' || phase !== 'apply';
}

/** Returns whether a sync that is in a stage has read every object of a type. */
export const isRead = (
  { types }: Pick<SyncPlan, 'types'>,
  stage: Pick<SyncStage, 'type' | 'phase'>,
  type: SyncType,
): boolean => types.indexOf(type) < types.indexOf(stage.type) || (type === stage.type && stage.phase !== 'read');

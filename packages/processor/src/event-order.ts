/** How far a record has followed the processor's object. */
export interface FollowedRecord {
  /** When the newest event happened that the record includes; the processor counts whole seconds. */
  readonly processorUpdatedAt: Date | null;
  /** We changed the object ourselves, and the webhook event about that has not come back. */
  readonly awaitsWebhook: boolean;
  readonly deletedAt: Date | null;
}

/**
 * What to do with an event:
 * - `ignore`: it is older than the record, or the record was deleted here, which is final
 * - `confirm`: it carries what the record has
 * - `apply`: it is newer
 * - `reread`: its order can't be decided from what we have; only the processor knows which state holds
 */
export type EventDecision = 'ignore' | 'confirm' | 'apply' | 'reread';

/** Decides what to do with an event that happened at `createdAt`; `isSame` if it carries what the record has. */
export function decideOnEvent(record: FollowedRecord, createdAt: Date, isSame: boolean): EventDecision {
  if (record.deletedAt) return 'ignore';
  const age = createdAt.getTime() - (record.processorUpdatedAt?.getTime() ?? 0);
  if (isSame) return age < 0 ? 'ignore' : 'confirm';
  // Our own change has no time of the processor's clock: an event that contradicts it may be older or newer.
  if (record.awaitsWebhook) return 'reread';
  if (age < 0) return 'ignore';
  return age === 0 ? 'reread' : 'apply';
}

/** Returns the later of two times. */
export function later(one: Date | null, other: Date): Date {
  return one !== null && one > other ? one : other;
}

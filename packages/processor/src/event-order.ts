/** How far a record has followed the processor. */
export interface Followed {
  /** When the newest event that was taken over happened; the processor counts whole seconds. */
  readonly processorUpdatedAt: Date | null;
  /** We changed it ourselves, and the event about that has not come yet. */
  readonly awaitsEcho: boolean;
  readonly deletedAt: Date | null;
}

/**
 * What to do about an event:
 * - `ignore`: it is older than what we have, or the record was deleted here, which is final
 * - `confirm`: it tells what we have
 * - `apply`: it is news
 * - `look-again`: its order can't be told from what we know; only the processor itself can say what holds
 */
export type Judgement = 'ignore' | 'confirm' | 'apply' | 'look-again';

/** Judges an event of the processor that happened at `createdAt`; `isSame` says whether it tells what we have. */
export function judge(record: Followed, createdAt: Date, isSame: boolean): Judgement {
  if (record.deletedAt) return 'ignore';
  const age = createdAt.getTime() - (record.processorUpdatedAt?.getTime() ?? 0);
  if (isSame) return age < 0 ? 'ignore' : 'confirm';
  // Our own change carries no time of the processor's: an event that contradicts it may be older or newer.
  if (record.awaitsEcho) return 'look-again';
  if (age < 0) return 'ignore';
  return age === 0 ? 'look-again' : 'apply';
}

/** The later of two moments. */
export function later(one: Date | null, other: Date): Date {
  return one !== null && one > other ? one : other;
}

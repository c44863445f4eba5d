import { roundHalfUp } from './revenue.ts';

/** Counts of times in which subscriptions were active or trialing, around a window's start. "After" means later than it. */
export interface ChurnCounts {
  /** Not over yet. */
  readonly ongoing: bigint;
  readonly startedAfter: bigint;
  /** Of subscriptions that have not ended. */
  readonly lapsedAfter: bigint;
  /** Of subscriptions that have ended. */
  readonly endedAfter: bigint;
  readonly startedAndEndedAfter: bigint;
  /** Subscriptions that were active at the start and whose end is recorded, but not before now. */
  readonly endingLater: bigint;
}

/** The subscriptions that were active or trialing at a window's start, and those of them that ended inside the window. */
export interface Churned {
  readonly active: bigint;
  readonly ended: bigint;
}

/** Returns how many subscriptions a window began with, and how many of these it lost. */
export function churned(counts: ChurnCounts): Churned {
  const { ongoing, startedAfter, lapsedAfter, endedAfter, startedAndEndedAfter, endingLater } = counts;
  return {
    ended: endedAfter - startedAndEndedAfter - endingLater,
    active: ongoing - startedAfter + lapsedAfter + endedAfter,
  };
}

/**
 * Percentage, to two decimals, of the subscriptions active or trialing at the window's start that ended inside the window; 0
 * when there were none. Subscriptions that both started and ended inside the window count on neither side, so the rate never
 * exceeds 100.
 */
export function churnRate(counts: ChurnCounts): number {
  const { active, ended } = churned(counts);
  if (active <= 0n) return 0;
  return Number(roundHalfUp(ended * 10_000n, active)) / 100;
}

import { roundHalfUp } from './revenue.ts';

/** Counts of activated subscriptions around the start of a window. "After" is later than the start. */
export interface ChurnCounts {
  /** Not ended by now. */
  readonly living: bigint;
  readonly beganAfter: bigint;
  readonly endedAfter: bigint;
  readonly beganAndEndedAfter: bigint;
}

/**
 * Percent of the subscriptions live at the start of the window that ended inside it, to two decimals; 0 when none were
 * live. What both began and ended inside the window counts on neither side, so the rate is never above 100.
 */
export function churnRate({ living, beganAfter, endedAfter, beganAndEndedAfter }: ChurnCounts): number {
  const lost = endedAfter - beganAndEndedAfter;
  const atStart = living - beganAfter + endedAfter;
  if (atStart <= 0n) return 0;
  return Number(roundHalfUp(lost * 10_000n, atStart)) / 100;
}

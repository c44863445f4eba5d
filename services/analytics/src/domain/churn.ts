import { roundHalfUp } from './revenue.ts';

/** Counts of activated subscriptions around a window's start. "After" means later than the start. */
export interface ChurnCounts {
  /** Not ended by the end of the window. */
  readonly ongoing: bigint;
  readonly startedAfter: bigint;
  readonly endedAfter: bigint;
  readonly startedAndEndedAfter: bigint;
}

/**
 * Percentage, to two decimals, of the subscriptions alive at the window's start that ended inside the window; 0 when
 * none were alive. Subscriptions that both started and ended inside the window count on neither side, so the rate never
 * exceeds 100.
 */
export function churnRate({ ongoing, startedAfter, endedAfter, startedAndEndedAfter }: ChurnCounts): number {
  const lost = endedAfter - startedAndEndedAfter;
  const atStart = ongoing - startedAfter + endedAfter;
  if (atStart <= 0n) return 0;
  return Number(roundHalfUp(lost * 10_000n, atStart)) / 100;
}

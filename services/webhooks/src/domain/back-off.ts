const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Pauses between attempts to find an event's project, in milliseconds. */
export const ROUTING_PAUSES_MS: readonly number[] = [1 * SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE];

/** How long to wait after the given attempt (from 1), in milliseconds; null when it was the last one. */
export function pauseAfter(attempt: number, pausesMs: readonly number[]): number | null {
  return pausesMs[attempt - 1] ?? null;
}

import { setTimeout as pause } from 'node:timers/promises';

/** How long to rest after a batch: so many times as long as it took, at most so many milliseconds. */
export interface Rest {
  readonly times: number;
  readonly longestMs: number;
}

/** For what is awaited: nobody notices it. */
export const SHORT_REST: Rest = { times: 1, longestMs: 50 };
/** For what nobody waits for: under load it leaves the machine to what is awaited. */
export const LONG_REST: Rest = { times: 3, longestMs: 1_000 };

/**
 * Rests after a batch. Whoever rests between small batches does more in each: under load the cost of a batch is shared
 * by many, and without it nobody waits, since only what follows at once has to.
 */
export const restAfter = (tookMs: number, { times, longestMs }: Rest = SHORT_REST): Promise<void> =>
  pause(Math.min(tookMs * times, longestMs));

import { setTimeout as pause } from 'node:timers/promises';

/** How long to wait for more before the next batch: so many times as long as the last batch took, up to a limit. */
export interface Linger {
  readonly times: number;
  readonly longestMs: number;
}

/** Too short to notice. */
export const SHORT_LINGER: Linger = { times: 1, longestMs: 50 };

/**
 * Waits after a batch that took `tookMs`. Under load this makes batches larger, so that their cost is shared by more
 * rows; without load nothing waits, since only what follows a batch at once is delayed.
 */
export const lingerAfter = (tookMs: number, { times, longestMs }: Linger = SHORT_LINGER): Promise<void> =>
  pause(Math.min(tookMs * times, longestMs));

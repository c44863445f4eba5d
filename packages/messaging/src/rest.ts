import { setTimeout as pause } from 'node:timers/promises';

const LONGEST_REST_MS = 50;

/**
 * Rests for as long as a batch took, at most 50 ms. Whoever rests between small batches does more in each: under load
 * the cost of a batch is shared by many, and without it nobody waits, since only what follows at once has to.
 */
export const restAfter = (tookMs: number): Promise<void> => pause(Math.min(tookMs, LONGEST_REST_MS));

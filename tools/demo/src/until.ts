import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 100;

/**
 * Looks again and again until `look` answers something, and answers that.
 * @throws Error after `deadlineMs`, saying what did not happen and what was seen last
 */
export async function until<Found>(
  what: string,
  deadlineMs: number,
  look: () => Promise<{ readonly found: Found } | { readonly seen: unknown }>,
): Promise<Found> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const result = await look();
    if ('found' in result) return result.found;
    if (performance.now() > deadline)
      throw new Error(
        `Waited ${deadlineMs / 1_000} s, but ${what} did not happen. Seen last: ${JSON.stringify(result.seen)}.`,
      );
    await delay(PAUSE_MS);
  }
}

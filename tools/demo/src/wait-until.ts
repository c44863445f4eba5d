import { setTimeout as delay } from 'node:timers/promises';

const INTERVAL_MS = 100;

/**
 * Polls `check` until it returns a result, and returns that result.
 * @throws Error after `deadlineMs` milliseconds, with `what` and the last value seen
 */
export async function waitUntil<Result>(
  what: string,
  deadlineMs: number,
  check: () => Promise<{ readonly result: Result } | { readonly lastSeen: unknown }>,
): Promise<Result> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const outcome = await check();
    if ('result' in outcome) return outcome.result;
    if (performance.now() > deadline)
      throw new Error(`Waited ${deadlineMs / 1_000} s for ${what}. Last seen: ${JSON.stringify(outcome.lastSeen)}.`);
    await delay(INTERVAL_MS);
  }
}

import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** Completes the error message "Waited 20 s for …", for example "the referral to convert". */
  what: string;
  /** 120,000 ms by default: a condition that comes true costs no time, and a busy machine is slow. */
  timeoutMs?: number;
  /** Pause between two checks; 20 ms by default. It grows to a tenth of the time waited, for a check costs something, too. */
  intervalMs?: number;
}

const LONGEST_PAUSE_MS = 500;

/**
 * Calls `condition` until it returns a truthy value, and returns that value. An error counts as not yet.
 * @throws after the timeout, with `what` and the last value or error
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { what, timeoutMs = 120_000, intervalMs = 20 }: WaitOptions,
): Promise<NonNullable<T>> {
  const startedAt = performance.now();
  for (;;) {
    const result = await tryOnce(condition);
    if ('value' in result && result.value) return result.value;
    const waited = performance.now() - startedAt;
    if (waited > timeoutMs) {
      const last =
        'value' in result ? `last value: ${JSON.stringify(result.value)}` : `last error: ${String(result.error)}`;
      throw new Error(
        `Waited ${timeoutMs / 1000} s for ${what}; ${last}`,
        'error' in result ? { cause: result.error } : {},
      );
    }
    await delay(Math.max(intervalMs, Math.min(waited / 10, LONGEST_PAUSE_MS)));
  }
}

async function tryOnce<T>(condition: () => T | Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await condition() };
  } catch (error) {
    return { error };
  }
}

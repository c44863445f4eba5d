import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** What is waited for, as it reads after "Waited 5 s for": "the referral to convert". */
  what: string;
  /** Default 5,000 ms. */
  timeoutMs?: number;
  /** Pause between two looks; default 20 ms. */
  intervalMs?: number;
}

/**
 * Looks until `condition` gives something truthy, and answers it. A condition that throws counts as not yet.
 * @throws after the timeout, naming what was waited for and what was seen last.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { what, timeoutMs = 5_000, intervalMs = 20 }: WaitOptions,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const look = await tryOnce(condition);
    if ('value' in look && look.value) return look.value;
    if (performance.now() > deadline) {
      const seen = 'value' in look ? `last seen: ${JSON.stringify(look.value)}` : `last error: ${String(look.error)}`;
      throw new Error(
        `Waited ${timeoutMs / 1000} s for ${what}; ${seen}`,
        'error' in look ? { cause: look.error } : {},
      );
    }
    await delay(intervalMs);
  }
}

async function tryOnce<T>(condition: () => T | Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await condition() };
  } catch (error) {
    return { error };
  }
}

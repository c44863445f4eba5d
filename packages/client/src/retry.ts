import type { BillingError } from './billing-error.ts';

/** Statuses after which another attempt may succeed; 0 is a call without a response. */
const RETRYABLE: ReadonlySet<number> = new Set([0, 408, 429, 502, 503, 504]);
/** Another attempt with the same key is still running; it may be our own, whose response was lost. */
export const KEY_IN_USE = 'idempotency_key_in_use';
const FIRST_BACKOFF_MS = 500;
/** The client does not wait longer than this, but fails. */
const MAX_PAUSE_MS = 60_000;
const MAX_BACKOFF_MS = 4_000;

/**
 * Returns the pause before the next attempt in milliseconds: as long as `Retry-After` says, or else with exponential
 * back-off and jitter. Returns undefined when a retry is of no use, or more than a minute away.
 */
export function pauseBeforeRetry(failure: BillingError, attempt: number): number | undefined {
  if (!RETRYABLE.has(failure.status) && failure.code !== KEY_IN_USE) return undefined;
  const { retryAfterSeconds } = failure;
  const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** attempt, MAX_BACKOFF_MS) * (0.5 + Math.random() / 2);
  const ms = retryAfterSeconds === undefined ? backoff : retryAfterSeconds * 1_000;
  return ms > MAX_PAUSE_MS ? undefined : ms;
}

/** Waits; rejects with the signal's reason when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason instanceof Error ? signal.reason : new Error(String(signal?.reason)));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

import type { BillingError } from './billing-error.ts';

/** "Not now" rather than "no". */
const RETRIED: ReadonlySet<number> = new Set([0, 408, 429, 502, 503, 504]);
/** Another attempt under the same key, for example our own whose answer was lost, is still at work. */
export const KEY_IN_USE = 'idempotency_key_in_use';
const FIRST_PAUSE_MS = 500;
/** Who is told to wait longer than this hears of it instead. */
const LONGEST_PAUSE_MS = 60_000;
const LONGEST_GROWN_MS = 4_000;

/**
 * The pause before a further attempt: as long as the service asks for, else a random one that grows. It rejects with
 * the signal's reason when that is aborted. Undefined where another attempt would change nothing or be too far off.
 */
export function pauseBefore(failure: BillingError, tried: number) {
  if (!RETRIED.has(failure.status) && failure.code !== KEY_IN_USE) return undefined;
  const { retryAfterSeconds } = failure;
  const growing = Math.min(FIRST_PAUSE_MS * 2 ** tried, LONGEST_GROWN_MS) * (0.5 + Math.random() / 2);
  const ms = retryAfterSeconds === undefined ? growing : retryAfterSeconds * 1_000;
  return ms > LONGEST_PAUSE_MS ? undefined : (signal: AbortSignal | undefined) => pause(ms, signal);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
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

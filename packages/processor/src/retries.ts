import { Stripe } from 'stripe';

/** One attempt may take so long, in milliseconds. */
export const ATTEMPT_MS = 8_000;
/** No further attempt starts later than this after the first, in milliseconds: two slow ones fit a request's budget. */
const LAST_START_MS = 9_000;
const MAX_ATTEMPTS = 3;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Calls the processor, and again after a lost connection, a failure on its side, a lock or "slow down", with full
 * jitter in between. A write must carry an idempotency key, so that a repeat is the same write.
 */
export async function withRetries<Result>(call: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (err) {
      const isLast = attempt >= MAX_ATTEMPTS || performance.now() - start > LAST_START_MS;
      if (isLast || !isWorthAnother(err)) throw err;
      await pause(Math.random() * Math.min(250 * 2 ** attempt, LONGEST_PAUSE_MS));
    }
  }
}

function isWorthAnother(err: unknown): boolean {
  if (!(err instanceof Stripe.errors.StripeError)) return false;
  if (err instanceof Stripe.errors.StripeConnectionError) return true;
  // An answer that is no JSON, a gateway's error page, comes without a status.
  const status = err.statusCode ?? (err instanceof Stripe.errors.StripeAPIError ? 502 : 0);
  return status === 429 || status === 409 || status >= 500 || err.code === 'lock_timeout';
}

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms));

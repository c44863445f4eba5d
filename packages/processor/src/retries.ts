import { Stripe } from 'stripe';

/** The timeout of one attempt, in milliseconds. */
export const ATTEMPT_MS = 8_000;
/** No attempt starts later than this after the first, in milliseconds, so that two slow ones fit into a request. */
const LAST_START_MS = 9_000;
const MAX_ATTEMPTS = 3;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Calls the processor, and retries after a lost connection, a failure of the processor, a lock or a rate limit, with
 * full jitter; `Stripe-Should-Retry` in a response decides instead (https://docs.stripe.com/error-low-level). A write must
 * carry an idempotency key, so that a retry is the same write.
 */
export async function withRetries<Result>(call: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (err) {
      const isLast = attempt >= MAX_ATTEMPTS || performance.now() - start > LAST_START_MS;
      if (isLast || !isRetryable(err)) throw err;
      await pause(Math.random() * Math.min(250 * 2 ** attempt, LONGEST_PAUSE_MS));
    }
  }
}

function isRetryable(err: unknown): boolean {
  if (!(err instanceof Stripe.errors.StripeError)) return false;
  if (err instanceof Stripe.errors.StripeConnectionError) return true;
  const advice = err.headers?.['stripe-should-retry'];
  if (advice === 'true' || advice === 'false') return advice === 'true';
  // A response without JSON, such as a gateway's error page, comes without a status.
  const status = err.statusCode ?? (err instanceof Stripe.errors.StripeAPIError ? 502 : 0);
  return status === 429 || status === 409 || status >= 500 || err.code === 'lock_timeout';
}

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms));

/** How many traces one process may begin. */
interface TraceLimit {
  readonly perSecond: number;
  /** How many may begin at once, after a quiet time. */
  readonly burst: number;
}

/** Every trace of ordinary traffic, and few of a flood. */
const DEFAULT: TraceLimit = { perSecond: 10, burst: 50 };

/**
 * Returns a function that tells whether one more trace may begin: a token bucket. `now` is a clock in milliseconds that never
 * goes back.
 */
export function openTraceLimit(
  { perSecond, burst }: TraceLimit = DEFAULT,
  now: () => number = () => performance.now(),
): () => boolean {
  let tokens = burst;
  let filledAt = now();
  return () => {
    const time = now();
    tokens = Math.min(burst, tokens + ((time - filledAt) / 1_000) * perSecond);
    filledAt = time;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

/** How often something may happen. */
interface Rate {
  readonly perSecond: number;
  /** How often at once, after a quiet time. */
  readonly burst: number;
}

/** Returns a function that tells whether it may happen once more: a token bucket. `now` is a clock in milliseconds that never goes back. */
export function openTokenBucket(
  { perSecond, burst }: Rate,
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

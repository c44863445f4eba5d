const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The pauses after each failed attempt. */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** Each pause is longer or shorter by up to a tenth, so that what failed together is not sent together. */
const JITTER = 0.1;
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;
/** An event waits for earlier ones of its object as long as those have had fewer failures. */
export const IN_ORDER_FAILURES = 3;

/** Attempts to deliver an event, the first one included. */
export const MAX_ATTEMPTS = PAUSES_MS.length + 1;

interface FailedAttempt {
  /** Automatic attempts that failed, this one included: 1 or more. */
  readonly failures: number;
  /** When it ended. */
  readonly at: Date;
  /** What the receiver requested with 429 or 503, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** A random number from 0 to 1. */
  readonly random: number;
}

/** Returns when to send an event again; null when that was the last attempt. `Retry-After` only lengthens a pause, to a day. */
export function nextAttemptAt({ failures, at, retryAfterMs = 0, random }: FailedAttempt): Date | null {
  const pauseMs = PAUSES_MS[failures - 1];
  if (pauseMs === undefined) return null;
  const jittered = pauseMs * (1 + JITTER * (2 * random - 1));
  return new Date(at.getTime() + Math.max(jittered, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)));
}

interface Failure extends Omit<FailedAttempt, 'failures'> {
  /** Automatic attempts that failed before. */
  readonly failures: number;
  /** False for one by hand, and for one that tries an endpoint which fails. */
  readonly isCounted: boolean;
  /** When it was to be sent again anyway. */
  readonly plannedAt: Date | null;
}

/** Returns what a failed attempt leaves of the schedule: one that does not count takes no place in it, and moves nothing forward. */
export function afterFailure({ failures, isCounted, plannedAt, ...attempt }: Failure) {
  const counted = isCounted ? failures + 1 : failures;
  const next = nextAttemptAt({ ...attempt, failures: Math.max(counted, 1) });
  const isPlanned = !isCounted && next && plannedAt && plannedAt > next;
  return { failures: counted, nextAttemptAt: isPlanned ? plannedAt : next };
}

/** Returns whether later events of the object wait for one that has failed so often: until its first two retries are over. */
export const holdsLaterOnes = (failures: number): boolean => failures < IN_ORDER_FAILURES;

/**
 * Reads `Retry-After`, in seconds or as a date, as milliseconds from now; undefined when it says nothing.
 * RFC 9110, section 10.2.3
 */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * SECOND_MS;
  // One of the three forms, that of `asctime`, names no zone: it is UTC too.
  const date = / \d{4}$/.test(text) ? `${text} GMT` : text;
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

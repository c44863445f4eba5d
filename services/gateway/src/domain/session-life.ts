import { Problem } from '@billing/contracts/problem';

const DAY_MS = 86_400_000;
/** A session ends after so long without use. */
const IDLE_MS = 7 * DAY_MS;
/** A session ends after so long, however much it is used. */
const LIFE_MS = 30 * DAY_MS;
/** How long a use is not written, so that not every request writes. */
const WRITE_EVERY_MS = 3_600_000;
/** better-auth lets a session without `rememberMe` live for a day. */
const SHORT_MS = DAY_MS + 60_000;

/** How long the cookie of a session lives, in seconds: the session may end before. */
export const COOKIE_SECONDS = LIFE_MS / 1_000;
/** How many sessions a user has at most; a further one ends the oldest. */
export const MAX_SESSIONS = 20;
/** How many wrong passwords and codes in a row end the session in which they were tried. */
export const MAX_FAILED_CHECKS = 10;

interface SessionTimes {
  readonly createdAt: Date;
  /** The last use that was written. */
  readonly updatedAt: Date;
  readonly expiresAt: Date;
}

/** Returns when a new session ends unless it is used: as asked, but within the time without use. */
export const firstExpiry = ({ createdAt, expiresAt }: Omit<SessionTimes, 'updatedAt'>): Date =>
  earlier(expiresAt, new Date(createdAt.getTime() + IDLE_MS));

/**
 * Returns when a session that is used now ends; undefined when there is nothing to write. A session without `rememberMe` is
 * not extended.
 */
export function expiryAfterUse({ createdAt, updatedAt, expiresAt }: SessionTimes, now: Date): Date | undefined {
  const isShort = expiresAt.getTime() - createdAt.getTime() < SHORT_MS;
  if (isShort || now.getTime() - updatedAt.getTime() < WRITE_EVERY_MS) return undefined;
  return earlier(new Date(now.getTime() + IDLE_MS), new Date(createdAt.getTime() + LIFE_MS));
}

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

/** How long a checked password counts as fresh, in milliseconds. */
const FRESH_MS = 15 * 60_000;

/**
 * Requires that the password was checked in this session within 15 minutes, by signing in or by verifying it; null: never.
 * @throws Problem 403 `reauthentication_required`
 */
export function requireFresh(passwordCheckedAt: Date | null, now: Date): void {
  if (passwordCheckedAt && now.getTime() - passwordCheckedAt.getTime() < FRESH_MS) return;
  throw new Problem(
    'forbidden',
    'reauthentication_required',
    'This needs a recently checked password: POST it to /api/auth/verify-password, or sign in again.',
  );
}

import { Problem } from '@billing/contracts/problem';

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

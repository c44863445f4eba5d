import { Problem } from '@billing/contracts/problem';

/** How many of each there may be. */
export interface Quotas {
  /** Teams that a user owns. */
  readonly teams: number;
  /** Projects of a team. */
  readonly projects: number;
  /** API keys of a project that are neither revoked nor expired. */
  readonly keys: number;
  /** Open invitations of a team. */
  readonly invitations: number;
}

/**
 * Requires that there is room for one more beside the `used` ones.
 * @throws Problem 422 `quota_exceeded`
 */
export function requireRoom(quotas: Quotas, quota: keyof Quotas, used: number): void {
  const limit = quotas[quota];
  if (used < limit) return;
  throw new Problem('unprocessable', 'quota_exceeded', `The limit of ${limit} ${quota} is reached.`, {
    details: { quota, limit },
  });
}

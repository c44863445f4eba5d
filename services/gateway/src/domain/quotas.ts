import { quotaExceeded } from '@billing/contracts/problem';

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
  /** Members of a team, and those who are invited. */
  readonly members: number;
}

/** What an installation allows that sets nothing else. */
export const QUOTAS: Quotas = { teams: 20, projects: 20, keys: 50, invitations: 100, members: 500 };

/**
 * Requires that there is room for one more beside the `used` ones.
 * @throws Problem 422 `quota_exceeded`
 */
export function requireRoom(quotas: Quotas, quota: keyof Quotas, used: number): void {
  const limit = quotas[quota];
  if (used >= limit) throw quotaExceeded(quota, limit);
}

import type { ApiKeyId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { Access } from '@billing/contracts/operation';
import { forbidden, Problem } from '@billing/contracts/problem';
import type { MemberRole } from '@billing/contracts/resources/team';
import { missingScope, type Scope } from '@billing/contracts/scopes';
import type { KeyMode } from './api-key-secret.ts';

/** The team and project in a request's path; the caller may have written anything there. */
export interface PathTenant {
  readonly teamId?: string;
  readonly projectId?: string;
}

/** What a valid API key allows. */
export interface KeyGrant {
  readonly keyId: ApiKeyId;
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  readonly scopes: readonly Scope[];
  readonly mode: KeyMode;
  /** Whether the team's processor account is a live one; null before one is connected. */
  readonly accountLivemode: boolean | null;
}

/**
 * Requires that an API key covers an operation on the tenant in the path. It looks at the key alone, so the response
 * does not reveal which teams and projects exist.
 * @throws Problem 403; names the scope if only the scope is missing; `test_key_on_live_account` for a test key where real
 *   money moves
 */
export function requireGrant(access: Access, tenant: PathTenant, key: KeyGrant): void {
  if (access.kind !== 'project') throw forbidden();
  if (key.teamId !== tenant.teamId || key.projectId !== tenant.projectId) throw forbidden();
  const missing = missingScope(access.scopes, key.scopes);
  if (missing) throw forbidden(missing);
  if (key.mode === 'test' && key.accountLivemode === true)
    throw new Problem(
      'forbidden',
      'test_key_on_live_account',
      'This is a test key, and the account is live: create a new key, or rotate this one.',
    );
}

/**
 * Requires that a signed-in user with this role in the team (undefined: not a member) may call an operation.
 * @throws Problem 403
 */
export function requireRole(access: Access, role: MemberRole | undefined): void {
  if (access.kind === 'session') return;
  if (role === undefined) throw forbidden();
  if (access.kind === 'team' && access.role === 'owner' && role !== 'owner') throw forbidden();
}

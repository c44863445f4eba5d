import type { ApiKeyId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { Access } from '@billing/contracts/operation';
import { forbidden } from '@billing/contracts/problem';
import type { MemberRole } from '@billing/contracts/resources/team';
import type { Scope } from '@billing/contracts/scopes';

/** What the path of a request names; anything a caller may write there. */
export interface NamedTenant {
  readonly teamId?: string;
  readonly projectId?: string;
}

/** What a valid API key says of its holder. */
export interface KeyGrant {
  readonly keyId: ApiKeyId;
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  readonly scopes: readonly Scope[];
}

/**
 * Whether an API key covers an operation on what the path names, decided from the key alone, so that the answer says
 * nothing about what exists.
 * @throws Problem 403, naming the scope if only that is missing
 */
export function requireGrant(access: Access, named: NamedTenant, key: KeyGrant): void {
  if (access.kind !== 'project') throw forbidden();
  if (key.teamId !== named.teamId || key.projectId !== named.projectId) throw forbidden();
  if (!key.scopes.includes(access.scope)) throw forbidden(access.scope);
}

/**
 * Whether a signed-in user with this role in the team (undefined: no member) may use an operation.
 * @throws Problem 403
 */
export function requireRole(access: Access, role: MemberRole | undefined): void {
  if (access.kind === 'session') return;
  if (role === undefined) throw forbidden();
  if (access.kind === 'team' && access.role === 'owner' && role !== 'owner') throw forbidden();
}

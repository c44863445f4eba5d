import type { Request } from 'express';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import type { Operation } from '@billing/contracts/operation';
import { forbidden, notFound, unauthorized } from '@billing/contracts/problem';
import type { Principal } from '@billing/service/identity-token';
import { requireGrant, requireRole, type PathTenant } from '#domain/access.ts';
import { findCookie, isCrossSite } from '#domain/browser-headers.ts';
import type { Membership } from '#persistence/find-membership.ts';
import type { ApiKeyCache } from './api-key-cache.ts';
import type { RateLimits } from './rate-limits.ts';
import type { SignIn } from './sign-in.ts';

interface Dependencies {
  readonly apiKeys: Pick<ApiKeyCache, 'find'>;
  readonly signIn: Pick<SignIn, 'sessionCookie' | 'findSessionUser'>;
  readonly findMembership: (userId: string, tenant: PathTenant) => Promise<Membership | undefined>;
  readonly rateLimits: Pick<RateLimits, 'takeApiKey' | 'takeSessionCreation'>;
  readonly publicOrigin: string;
}

/**
 * Authenticates a request and checks that its caller may call the operation on the tenant in the path.
 * @throws Problem 401, 403, 429; 404 `project_not_found` to a member whose team has no such project
 */
export type AuthorizeRequest = (operation: Operation, tenant: PathTenant, request: Request) => Promise<Principal>;

/** Authorizes requests by the access that each operation declares, before any service is called. */
export function authorizeRequest(dependencies: Dependencies): AuthorizeRequest {
  const { apiKeys, signIn, findMembership, rateLimits, publicOrigin } = dependencies;

  async function authorizeKey(operation: Operation, tenant: PathTenant, authorization: string): Promise<Principal> {
    const secret = /^Bearer ([!-~]{1,256})$/i.exec(authorization)?.[1];
    const grant = secret === undefined ? undefined : await apiKeys.find(secret);
    if (!grant) throw unauthorized();
    await rateLimits.takeApiKey(grant.keyId);
    requireGrant(operation.access, tenant, grant);
    const { keyId, teamId, projectId, scopes } = grant;
    return { kind: 'api-key', keyId, teamId, projectId, scopes: [...scopes] };
  }

  async function authorizeSession(operation: Operation, tenant: PathTenant, request: Request): Promise<Principal> {
    const cookie = findCookie(signIn.sessionCookie, request.headers.cookie);
    if (cookie === undefined) throw unauthorized();
    if (isCrossSite(request.headers, publicOrigin)) throw forbidden();
    const userId = await signIn.findSessionUser(cookie);
    if (userId === undefined) throw unauthorized();
    const membership = await findMembership(userId, tenant);
    requireRole(operation.access, membership?.role);
    if (membership && tenant.projectId !== undefined && !membership.hasProject) throw notFound('project');
    return {
      kind: 'user',
      userId,
      teamId: membership ? TeamId.schema.parse(tenant.teamId) : null,
      projectId: membership && tenant.projectId !== undefined ? ProjectId.schema.parse(tenant.projectId) : null,
      role: membership?.role ?? null,
    };
  }

  return async (operation, tenant, request) => {
    const { kind } = operation.access;
    // The webhooks service checks the signature, the portal the token.
    if (kind === 'signature' || kind === 'portal-token') return { kind: 'anonymous' };
    const { authorization } = request.headers;
    const principal =
      authorization === undefined
        ? await authorizeSession(operation, tenant, request)
        : await authorizeKey(operation, tenant, authorization);
    if (operation.rateLimit === 'session-creation') await rateLimits.takeSessionCreation(projectOf(principal));
    return principal;
  };
}

function projectOf(principal: Principal) {
  if (principal.kind === 'anonymous' || principal.teamId === null || principal.projectId === null)
    throw new Error('An operation without a project declares a rate limit per project.');
  return { teamId: principal.teamId, projectId: principal.projectId };
}

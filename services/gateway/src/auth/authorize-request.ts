import type { Request } from 'express';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import type { Operation } from '@billing/contracts/operation';
import { notFound, unauthorized } from '@billing/contracts/problem';
import type { Principal } from '@billing/service/identity-token';
import { requireGrant, requireRole, type KeyGrant, type PathTenant } from '#domain/access.ts';
import { requireFresh } from '#domain/session-life.ts';
import { crossSite, isCrossSite } from '#domain/browser-headers.ts';
import type { Membership } from '#persistence/find-membership.ts';
import type { ApiKeyCache } from './api-key-cache.ts';
import { requireWithin } from '#http/rate-limit-headers.ts';
import type { GatewayResponse } from '#http/request-context.ts';
import { hashedKey, type RateLimits } from './rate-limits.ts';
import type { SessionCookies } from './session-cookies.ts';
import type { Sessions } from './sessions.ts';

interface Dependencies {
  readonly apiKeys: Pick<ApiKeyCache, 'find'>;
  readonly cookies: Pick<SessionCookies, 'tokenOf'>;
  readonly sessions: Pick<Sessions, 'find'>;
  readonly findMembership: (userId: string, tenant: PathTenant) => Promise<Membership | undefined>;
  readonly rateLimits: Pick<
    RateLimits,
    'apiKey' | 'session' | 'user' | 'team' | 'stateReads' | 'stateReadsOfTeam' | 'sessionCreation' | 'badKeys'
  >;
  readonly publicOrigin: string;
  readonly now: () => Date;
}

/** A caller that may call the operation. */
interface Authorized {
  readonly principal: Principal;
  /** Throws Problem 403 `reauthentication_required` unless the password was checked in this session recently. */
  readonly requireFreshSession?: () => void;
}

/**
 * Authenticates a request and checks that its caller may call the operation on the tenant in the path, within the rate
 * limits; the response tells what is left of them.
 * @throws Problem 401, 403, 429, also 403 `reauthentication_required`; 404 `project_not_found` to a member whose team has
 *   no such project
 */
export type AuthorizeRequest = (
  operation: Operation,
  tenant: PathTenant,
  request: Request,
  response: GatewayResponse,
) => Promise<Authorized>;

/** One request in the course of its authorization. */
interface Attempt {
  readonly operation: Operation;
  readonly tenant: PathTenant;
  readonly request: Request;
  readonly response: GatewayResponse;
}

/** Authorizes requests by the access that each operation declares, before any service is called. */
export function authorizeRequest(dependencies: Dependencies): AuthorizeRequest {
  const { apiKeys, cookies, sessions, findMembership, rateLimits, publicOrigin, now } = dependencies;

  async function authorizeKey(attempt: Attempt, authorization: string): Promise<Authorized> {
    const { operation, tenant, response } = attempt;
    const grant = await findGrant(response, authorization);
    // Products read states on every request of theirs, which leaves what the key may do else as it is.
    const isStateRead = operation.rateLimit === 'state-reads';
    requireWithin(response, await (isStateRead ? rateLimits.stateReads : rateLimits.apiKey).take(grant.keyId));
    requireWithin(response, await (isStateRead ? rateLimits.stateReadsOfTeam : rateLimits.team).take(grant.teamId));
    const { keyId, teamId, projectId, scopes } = grant;
    const principal: Principal = { kind: 'api-key', keyId, teamId, projectId, scopes: [...scopes] };
    if (teamId === tenant.teamId) response.locals.knownCaller = principal;
    requireGrant(operation.access, tenant, grant);
    return { principal };
  }

  /** A key that works is never refused for those that others behind the same address sent. */
  async function findGrant(response: GatewayResponse, authorization: string): Promise<KeyGrant> {
    const { addressGroup: address } = response.locals;
    const secret = /^Bearer +([!-~]{1,256})$/i.exec(authorization)?.[1];
    const isSuspect = !rateLimits.badKeys.peek(address).isAllowed;
    const grant = secret === undefined ? undefined : await apiKeys.find(secret, { isSuspect });
    if (grant) return grant;
    const usage = await rateLimits.badKeys.take(address);
    if (!usage.isAllowed) requireWithin(response, usage);
    throw unauthorized();
  }

  async function authorizeSession({ operation, tenant, request, response }: Attempt): Promise<Authorized> {
    const token = cookies.tokenOf(request.headers.cookie);
    if (token === undefined) throw unauthorized();
    if (isCrossSite(request.headers, publicOrigin)) throw crossSite(publicOrigin);
    requireWithin(response, await rateLimits.session.take(hashedKey(token)));
    const session = await sessions.find(token);
    if (session === undefined) throw unauthorized();
    const { userId, passwordCheckedAt } = session;
    requireWithin(response, await rateLimits.user.take(userId));
    const membership = await findMembership(userId, tenant);
    // Only members use up what their team may do.
    if (membership) requireWithin(response, await rateLimits.team.take(String(tenant.teamId)));
    const isOfTeam = membership?.hasProject === true;
    const principal: Principal = {
      kind: 'user',
      userId,
      teamId: membership ? TeamId.schema.parse(tenant.teamId) : null,
      projectId: isOfTeam && tenant.projectId !== undefined ? ProjectId.schema.parse(tenant.projectId) : null,
      role: membership?.role ?? null,
    };
    if (membership || tenant.teamId === undefined) response.locals.knownCaller = principal;
    requireRole(operation.access, membership?.role);
    if (membership && tenant.projectId !== undefined && !membership.hasProject) throw notFound('project');
    const requireFreshSession = () => requireFresh(passwordCheckedAt, now());
    if ('fresh' in operation.access && operation.access.fresh === 'always') requireFreshSession();
    return { principal, requireFreshSession };
  }

  return async (operation, tenant, request, response) => {
    const { kind } = operation.access;
    // The webhooks service checks the signature, the portal the token.
    if (kind === 'signature' || kind === 'portal-token') return { principal: { kind: 'anonymous' } };
    const { authorization } = request.headers;
    const attempt = { operation, tenant, request, response };
    const authorized =
      authorization === undefined ? await authorizeSession(attempt) : await authorizeKey(attempt, authorization);
    if (operation.rateLimit === 'session-creation')
      requireWithin(response, await rateLimits.sessionCreation.take(projectOf(authorized.principal)));
    return authorized;
  };
}

/** Returns the project of a request as the key of its limit. */
function projectOf(principal: Principal): string {
  if (principal.kind === 'anonymous' || principal.teamId === null || principal.projectId === null)
    throw new Error('An operation without a project declares a rate limit per project.');
  return `${principal.teamId}/${principal.projectId}`;
}

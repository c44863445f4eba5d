import type { Request } from 'express';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import type { Operation } from '@billing/contracts/operation';
import { forbidden, notFound, unauthorized } from '@billing/contracts/problem';
import type { Principal } from '@billing/service/identity-token';
import { requireGrant, requireRole, type NamedTenant } from '#domain/access.ts';
import { cookieNamed } from '#domain/cookie.ts';
import { isCrossSite } from '#domain/cross-site.ts';
import type { Membership } from '#operations/find-membership.ts';
import type { SignIn } from '#sign-in/sign-in.ts';
import type { KeyRing } from './keys.ts';
import type { Limits } from './limits.ts';

interface AdmissionParts {
  readonly keys: Pick<KeyRing, 'find'>;
  readonly signIn: Pick<SignIn, 'cookieName' | 'userOf'>;
  readonly findMembership: (userId: string, named: NamedTenant) => Promise<Membership | undefined>;
  readonly limits: Pick<Limits, 'takeKey' | 'takeSessionCreation'>;
  readonly publicOrigin: string;
}

/**
 * Finds out who asks for an operation on what the path names.
 * @throws Problem 401, 403, 404 `project_not_found` to a member whose team has no such project, 429
 */
export type Admit = (operation: Operation, named: NamedTenant, request: Request) => Promise<Principal>;

const ANONYMOUS: Principal = { kind: 'anonymous' };

/** Decides admission by each operation's declared access, before anything is asked of a service. */
export function createAdmission({ keys, signIn, findMembership, limits, publicOrigin }: AdmissionParts): Admit {
  async function admitKey(operation: Operation, named: NamedTenant, authorization: string): Promise<Principal> {
    const secret = /^Bearer ([!-~]{1,256})$/i.exec(authorization)?.[1];
    const grant = secret === undefined ? undefined : await keys.find(secret);
    if (!grant) throw unauthorized();
    await limits.takeKey(grant.keyId);
    requireGrant(operation.access, named, grant);
    const { keyId, teamId, projectId, scopes } = grant;
    return { kind: 'api-key', keyId, teamId, projectId, scopes: [...scopes] };
  }

  async function admitSession(operation: Operation, named: NamedTenant, request: Request): Promise<Principal> {
    const cookie = cookieNamed(signIn.cookieName, request.headers.cookie);
    if (cookie === undefined) throw unauthorized();
    if (isCrossSite(request.headers, publicOrigin)) throw forbidden();
    const userId = await signIn.userOf(cookie);
    if (userId === undefined) throw unauthorized();
    const membership = await findMembership(userId, named);
    requireRole(operation.access, membership?.role);
    if (membership && named.projectId !== undefined && !membership.hasProject) throw notFound('project');
    return {
      kind: 'user',
      userId,
      teamId: membership ? TeamId.schema.parse(named.teamId) : null,
      projectId: membership && named.projectId !== undefined ? ProjectId.schema.parse(named.projectId) : null,
      role: membership?.role ?? null,
    };
  }

  return async (operation, named, request) => {
    const { kind } = operation.access;
    // The receiver checks the signature, the portal the token.
    if (kind === 'signature' || kind === 'portal-token') return ANONYMOUS;
    const { authorization } = request.headers;
    const principal =
      authorization === undefined
        ? await admitSession(operation, named, request)
        : await admitKey(operation, named, authorization);
    if (operation.rateLimit === 'session-creation') await limits.takeSessionCreation(projectOf(principal));
    return principal;
  };
}

function projectOf(principal: Principal) {
  if (principal.kind === 'anonymous' || principal.teamId === null || principal.projectId === null)
    throw new Error('A limit for each project stands on an operation without a project.');
  return { teamId: principal.teamId, projectId: principal.projectId };
}

import { generateKeyPairSync } from 'node:crypto';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import { ApiKeyId } from '@billing/contracts/ids';
import type { ServiceName } from '@billing/contracts/operation';
import type { MemberRole } from '@billing/contracts/resources/team';
import { SCOPES, type Scope } from '@billing/contracts/scopes';
import {
  IDENTITY_HEADER,
  identityTokenSigner,
  identityTokenVerifier,
  type Principal,
  type SignedRequest,
  type VerifyIdentityToken,
} from '../identity-token.ts';

/** Stands in tokens of tests for every method and path; no request has this method. */
const ANY_REQUEST: SignedRequest = { method: '*', path: '*' };
const CALLER = { requestId: 'req_test', address: '192.0.2.1' };

/** Creates a key pair in place of the gateway's: verifies identity tokens for a service, and signs headers for callers. */
export function testIdentity(service: ServiceName) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const sign = identityTokenSigner(privateKey, service);
  const verify = identityTokenVerifier(publicKey, service);
  const verifyIdentityToken: VerifyIdentityToken = token => verify(token, ANY_REQUEST);
  const headers = (principal: Principal, request = ANY_REQUEST) => ({
    [IDENTITY_HEADER]: sign({ principal, caller: CALLER }, request),
  });
  return {
    privateKey,
    publicKey,
    /** Takes the tokens below that are made for any request, which a service that runs as a process does not. */
    verifyIdentityToken,
    /** Headers of any principal. */
    headers,
    /** An API key of the project, with every scope by default. */
    asKey: (of: { teamId: TeamId; projectId: ProjectId; scopes?: readonly Scope[] }) =>
      headers({
        kind: 'api-key',
        keyId: ApiKeyId.create(),
        teamId: of.teamId,
        projectId: of.projectId,
        scopes: [...(of.scopes ?? SCOPES)],
      }),
    /** A signed-in member of the team, its owner by default. */
    asUser: (of: { teamId: TeamId; projectId?: ProjectId; role?: MemberRole }, request?: SignedRequest) =>
      headers(
        {
          kind: 'user',
          userId: 'user_test',
          teamId: of.teamId,
          projectId: of.projectId ?? null,
          role: of.role ?? 'owner',
        },
        request,
      ),
    /** A holder of a portal token or the sender of a webhook. */
    anonymous: (request?: SignedRequest) => headers({ kind: 'anonymous' }, request),
  };
}

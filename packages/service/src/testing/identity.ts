import { generateKeyPairSync } from 'node:crypto';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import { ApiKeyId } from '@billing/contracts/ids';
import type { ServiceName } from '@billing/contracts/operation';
import type { MemberRole } from '@billing/contracts/resources/team';
import { SCOPES, type Scope } from '@billing/contracts/scopes';
import { IDENTITY_HEADER, identityTokenSigner, identityTokenVerifier, type Principal } from '../identity-token.ts';

/** Creates a key pair in place of the gateway's: verifies identity tokens for a service, and signs headers for callers. */
export function testIdentity(service: ServiceName) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const sign = identityTokenSigner(privateKey, service);
  const headers = (principal: Principal) => ({ [IDENTITY_HEADER]: sign(principal) });
  return {
    privateKey,
    publicKey,
    verifyIdentityToken: identityTokenVerifier(publicKey, service),
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
    asUser: (of: { teamId: TeamId; projectId?: ProjectId; role?: MemberRole }) =>
      headers({
        kind: 'user',
        userId: 'user_test',
        teamId: of.teamId,
        projectId: of.projectId ?? null,
        role: of.role ?? 'owner',
      }),
    /** A holder of a portal token or the sender of a webhook. */
    anonymous: () => headers({ kind: 'anonymous' }),
  };
}

import { createSigner, createVerifier } from 'fast-jwt';
import { z } from 'zod';
import { ApiKeyId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { ServiceName } from '@billing/contracts/operation';
import { unauthorized } from '@billing/contracts/problem';
import { MEMBER_ROLES } from '@billing/contracts/resources/team';
import { scope } from '@billing/contracts/scopes';

/** The header that carries the gateway's identity token. */
export const IDENTITY_HEADER = 'x-billing-identity';

/** How long a token is valid, in seconds. */
const LIFETIME_SECONDS = 60;
/** Maximum difference between the clocks of two machines, in milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000;

const principalSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('api-key'),
    keyId: ApiKeyId.schema,
    teamId: TeamId.schema,
    projectId: ProjectId.schema,
    scopes: z.array(scope),
  }),
  z.object({
    kind: z.literal('user'),
    userId: z.string(),
    /** The team in the path; the user is a member of it with `role`. */
    teamId: TeamId.schema.nullable(),
    /** The project in the path; it belongs to the team. */
    projectId: ProjectId.schema.nullable(),
    role: z.enum(MEMBER_ROLES).nullable(),
  }),
  /** A holder of a portal token or the sender of a webhook; the service itself checks the token or signature. */
  z.object({ kind: z.literal('anonymous') }),
]);

/** The caller, as authenticated by the gateway. */
export type Principal = z.output<typeof principalSchema>;

/** Signs an identity token for one service. */
export type SignIdentityToken = (principal: Principal) => string;
/** Returns the principal of a valid identity token; throws 401 otherwise. */
export type VerifyIdentityToken = (token: string | undefined) => Principal;

/** Signs tokens that only `audience` accepts, for 60 seconds. `privateKey` is an Ed25519 PEM. */
export function identityTokenSigner(privateKey: string, audience: ServiceName): SignIdentityToken {
  const sign = createSigner({
    algorithm: 'EdDSA',
    key: privateKey,
    aud: audience,
    expiresIn: LIFETIME_SECONDS * 1_000,
  });
  return principal => sign({ principal });
}

/**
 * Verifies tokens that the gateway signed for `audience`. `publicKey` is an Ed25519 PEM. The returned function throws
 * Problem 401 for a token that is missing, forged, expired or made for another service.
 */
export function identityTokenVerifier(publicKey: string, audience: ServiceName): VerifyIdentityToken {
  const verify = createVerifier({
    algorithms: ['EdDSA'],
    key: publicKey,
    allowedAud: audience,
    cache: 5_000,
    cacheTTL: LIFETIME_SECONDS * 1_000,
    clockTolerance: CLOCK_TOLERANCE_MS,
  });
  return token => {
    if (!token) throw unauthorized();
    try {
      return z.object({ principal: principalSchema }).parse(verify(token)).principal;
    } catch {
      throw unauthorized();
    }
  };
}

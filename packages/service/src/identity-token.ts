import { createSigner, createVerifier } from 'fast-jwt';
import { z } from 'zod';
import { ApiKeyId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { ServiceName } from '@billing/contracts/operation';
import { unauthorized } from '@billing/contracts/problem';
import { MEMBER_ROLES } from '@billing/contracts/resources/team';
import { scope } from '@billing/contracts/scopes';

/** The header that carries the gateway's statement of who asks. */
export const IDENTITY_HEADER = 'x-billing-identity';

/** Seconds for which a statement may be used. */
const LIFETIME_SECONDS = 60;
/** How far the clocks of two machines may differ, in milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000;

const principal = z.discriminatedUnion('kind', [
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
    /** The team in the path, of which the user is a member with `role`. */
    teamId: TeamId.schema.nullable(),
    /** The project in the path, which is one of the team's. */
    projectId: ProjectId.schema.nullable(),
    role: z.enum(MEMBER_ROLES).nullable(),
  }),
  /** Whoever holds a portal token or signs a webhook: the service checks that itself. */
  z.object({ kind: z.literal('anonymous') }),
]);

/** Who asks, as the gateway found out. */
export type Principal = z.output<typeof principal>;

/** Signs who asks, for one service. */
export type SignIdentityToken = (principal: Principal) => string;
/** Reads a statement, or throws 401. */
export type VerifyIdentityToken = (statement: string | undefined) => Principal;

/** The gateway's side: statements that only `audience` accepts, for 60 seconds. `privateKey` is an Ed25519 PEM. */
export function identityTokenSigner(privateKey: string, audience: ServiceName): SignIdentityToken {
  const sign = createSigner({
    algorithm: 'EdDSA',
    key: privateKey,
    aud: audience,
    expiresIn: LIFETIME_SECONDS * 1_000,
  });
  return who => sign({ principal: who });
}

/**
 * A service's side: accepts what the gateway signed for `audience` and nothing else. `publicKey` is an Ed25519 PEM.
 * @throws Problem 401 for a statement that is missing, forged, for another service or too old
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
  return statement => {
    if (!statement) throw unauthorized();
    try {
      return z.object({ principal }).parse(verify(statement)).principal;
    } catch {
      throw unauthorized();
    }
  };
}

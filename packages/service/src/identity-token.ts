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
const CLOCK_TOLERANCE_MS = 5_000;

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

const callerSchema = z.object({
  requestId: z.string(),
  /** The address that the request came from. */
  address: z.string(),
});

/** What the gateway knows about the caller of a write, besides who it is. */
export type Caller = z.output<typeof callerSchema>;

/** The request that a token is made for. */
export interface SignedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

/** Who makes a request; `caller` is null for reads and for webhooks. */
export interface Identity {
  readonly principal: Principal;
  readonly caller: Caller | null;
}

/** Signs an identity token for one request to one service. */
export type SignIdentityToken = (identity: Identity, request: SignedRequest) => string;
/** Returns the identity in a token that is valid for the request; throws 401 otherwise. */
export type VerifyIdentityToken = (token: string | undefined, request: SignedRequest) => Identity;

const claimsSchema = z.object({
  principal: principalSchema,
  caller: callerSchema.nullable(),
  method: z.string(),
  path: z.string(),
});

/** Signs tokens that only `audience` accepts, for one method and path and for 60 seconds. `privateKey` is an Ed25519 PEM. */
export function identityTokenSigner(privateKey: string, audience: ServiceName): SignIdentityToken {
  const sign = createSigner({
    algorithm: 'EdDSA',
    key: privateKey,
    aud: audience,
    expiresIn: LIFETIME_SECONDS * 1_000,
  });
  return ({ principal, caller }, { method, path }) => sign({ principal, caller, method, path });
}

/**
 * Verifies tokens that the gateway signed for `audience`. `publicKey` is an Ed25519 PEM. The returned function throws
 * Problem 401 for a token that is missing, forged, expired, or made for another service, method or path.
 */
export function identityTokenVerifier(publicKey: string, audience: ServiceName): VerifyIdentityToken {
  const verify = createVerifier({
    algorithms: ['EdDSA'],
    key: publicKey,
    allowedAud: audience,
    // Without these a token that names no service, or has no end, would pass.
    requiredClaims: ['aud', 'exp'],
    cache: 5_000,
    cacheTTL: LIFETIME_SECONDS * 1_000,
    clockTolerance: CLOCK_TOLERANCE_MS,
  });
  return (token, request) => {
    const claims = token ? claimsIn(token) : undefined;
    if (claims?.method !== request.method || claims.path !== request.path) throw unauthorized();
    return { principal: claims.principal, caller: claims.caller };
  };

  function claimsIn(token: string) {
    try {
      return claimsSchema.parse(verify(token));
    } catch {
      return undefined;
    }
  }
}

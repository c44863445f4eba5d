import { LRUCache } from 'lru-cache';
import type { ServiceName } from '@billing/contracts/operation';
import {
  identityTokenSigner,
  type Identity,
  type SignedRequest,
  type SignIdentityToken,
} from '@billing/service/identity-token';

/** A token is valid for 60 s; reused for this long, it is never too old when it arrives. */
const REUSE_MS = 20_000;
const MAX_ENTRIES = 5_000;

/** Returns a token that proves the identity to one service, for one method and path. */
export type IdentityTokenFor = (service: ServiceName, identity: Identity, request: SignedRequest) => string;

/**
 * Signs identity tokens and reuses each for 20 s, except those of a write, whose caller differs each time. The cache key
 * holds the service, the request and the whole principal, so two principals never share a token. `privateKey` is an Ed25519
 * PEM.
 */
export function identityTokens(privateKey: string, now: () => Date): IdentityTokenFor {
  const signers = new Map<ServiceName, SignIdentityToken>();
  const perf = { now: () => now().getTime() };
  const tokens = new LRUCache<string, string>({ max: MAX_ENTRIES, ttl: REUSE_MS, ttlResolution: 0, perf });

  function sign(service: ServiceName, ...what: Parameters<SignIdentityToken>): string {
    const signer = signers.get(service) ?? identityTokenSigner(privateKey, service);
    signers.set(service, signer);
    return signer(...what);
  }

  return (service, identity, request) => {
    if (identity.caller) return sign(service, identity, request);
    const key = `${service} ${request.method} ${request.path} ${JSON.stringify(identity.principal)}`;
    const known = tokens.get(key);
    if (known !== undefined) return known;
    const token = sign(service, identity, request);
    tokens.set(key, token);
    return token;
  };
}

import type { ServiceName } from '@billing/contracts/operation';
import { identityTokenSigner, type Principal, type SignIdentityToken } from '@billing/service/identity-token';

/** A statement lives for 60 s; one that is used again for this long is never too old when it arrives. */
const REUSED_MS = 20_000;
const MAX_REMEMBERED = 5_000;

/** States to a service who asks. */
export type State = (service: ServiceName, principal: Principal) => string;

/**
 * Signs statements, and uses each again for 20 s. What is remembered is found by the service and the whole principal,
 * so that no two principals ever share one.
 */
export function createIdentityTokens(privateKey: string, now: () => Date): State {
  const signers = new Map<ServiceName, SignIdentityToken>();
  const remembered = new Map<string, { readonly statement: string; readonly until: number }>();

  function sign(service: ServiceName, principal: Principal): string {
    const signer = signers.get(service) ?? identityTokenSigner(privateKey, service);
    signers.set(service, signer);
    return signer(principal);
  }

  return (service, principal) => {
    const at = now().getTime();
    const about = `${service} ${JSON.stringify(principal)}`;
    const known = remembered.get(about);
    if (known && known.until > at) return known.statement;
    const statement = sign(service, principal);
    // Removed first, so that the oldest stand first.
    remembered.delete(about);
    remembered.set(about, { statement, until: at + REUSED_MS });
    if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value ?? '');
    return statement;
  };
}

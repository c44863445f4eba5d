import { raw, type EntityManager } from '@mikro-orm/postgresql';
import type { CustomerState } from '@billing/contracts/events/customers';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { FindCustomer } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { hashToken, isToken } from '#domain/token.ts';
import { PortalSession } from '#persistence/portal-session.entity.ts';
import { portalLinkExpired } from './portal-link-expired.ts';

/** Whom a token lets in, and where they came from. */
export interface Visitor {
  readonly token: string;
  readonly scope: ProjectScope;
  readonly customerId: CustomerId;
  readonly customer: CustomerState;
  readonly returnUrl: string | null;
}

/** Finds out whom a token lets in. */
export type Admit = (token: string) => Promise<Visitor>;

/**
 * Checks a token on every request: it is known, not revoked, not expired by the database's clock, and its customer is
 * still there.
 * @throws Problem 404 `portal_link_expired`; 503 when the customers service does not answer: nobody is let in unchecked
 */
export function admit({ em, rpc }: { em: EntityManager; rpc: RpcClient }): Admit {
  return async token => {
    const session = await findLiveSession(em, token);
    if (!session) throw portalLinkExpired();
    const { teamId, projectId, customerId, returnUrl = null } = session;
    const scope = { teamId, projectId };
    const customer = await rpc.call(FindCustomer, { ...scope, customerId });
    if (!customer) throw portalLinkExpired();
    return { token, scope, customerId, customer, returnUrl };
  };
}

async function findLiveSession(em: EntityManager, token: string): Promise<PortalSession | null> {
  if (!isToken(token)) return null;
  return em.fork().findOne(PortalSession, {
    tokenHash: hashToken(token),
    revokedAt: null,
    expiresAt: { $gt: raw('clock_timestamp()') },
  });
}

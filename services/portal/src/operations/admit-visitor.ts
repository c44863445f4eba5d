import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerState } from '@billing/contracts/events/customers';
import type { CustomerId, PortalSessionId, ProjectScope } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import type { PortalConfig } from '@billing/contracts/resources/portal-config';
import { FindCustomer } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { hashToken, isToken } from '#domain/token.ts';
import { isLive } from '#persistence/database-clock.ts';
import { findPortalConfig } from '#persistence/portal-config.entity.ts';
import { PortalSession } from '#persistence/portal-session.entity.ts';

/** A customer whom a token admitted. */
export interface Visitor {
  readonly sessionId: PortalSessionId;
  readonly token: string;
  readonly scope: ProjectScope;
  readonly customerId: CustomerId;
  readonly customer: CustomerState;
  /** The tenant's page that the portal links back to: the link's own, else the project's. */
  readonly returnUrl: string | null;
  /** What the tenant's portal offers, and how it looks. */
  readonly config: PortalConfig;
  /** The language that the tenant chose, as a BCP 47 tag. */
  readonly locale: string | null;
  /** That of the customer's billing details. */
  readonly customerLocale: string | null;
}

export interface AdmitVisitorDependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
}

/**
 * Checks the token of a request: its session exists, is neither revoked nor expired by the database's clock, and its
 * customer still exists.
 * @throws Problem 404 `portal_link_expired`; 503 when the customers service does not reply, so nobody gets in unchecked
 */
export function admitVisitor({ em, rpc }: AdmitVisitorDependencies) {
  return async (token: string): Promise<Visitor> => {
    const session = isToken(token)
      ? await em.fork().findOne(PortalSession, { tokenHash: hashToken(token), ...isLive() })
      : null;
    if (!session) throw linkExpired();
    const { teamId, projectId, customerId, returnUrl = null, locale = null } = session;
    const scope = { teamId, projectId };
    const [customer, config] = await Promise.all([
      rpc.call(FindCustomer, { ...scope, customerId }),
      findPortalConfig(em.fork(), scope),
    ]);
    if (!customer) throw linkExpired();
    return {
      sessionId: session.id,
      token,
      scope,
      customerId,
      customer,
      config,
      returnUrl: returnUrl ?? config.brand.returnUrl,
      locale,
      customerLocale: customer.locale ?? null,
    };
  };
}

/** The same for every link that does not work, so that the response does not reveal why. */
export const linkExpired = () =>
  new Problem('not_found', 'portal_link_expired', 'This link has expired. Ask for a new one.');

import type { EntityManager } from '@mikro-orm/postgresql';
import { PortalSessionId, type CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { notFound, quotaExceeded } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { FindCustomer } from '@billing/contracts/rpc/calls';
import { lockObjects } from '@billing/database/advisory-locks';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import { changesOf, recordAudit } from '@billing/service/audit';
import { portalLinks } from '#domain/portal-links.ts';
import { createToken, hashToken, tokenOfOperation } from '#domain/token.ts';
import { databaseTime } from '#persistence/database-clock.ts';
import { PortalSession } from '#persistence/portal-session.entity.ts';

interface NewSession {
  readonly customerId: CustomerId;
  /** How long the link works, in milliseconds. */
  readonly ttlMs: number;
  readonly returnUrl?: string | undefined;
  /** The language of the page, as a BCP 47 tag. */
  readonly locale?: string | undefined;
}

export interface CreateSessionDependencies {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly rpc: RpcClient;
  readonly publicUrl: string;
  /** 32 bytes. Derives the token of a repeated request, so that no token has to be stored. */
  readonly tokenKey: Buffer;
}

/** Links of a customer that work. */
const QUOTA = 1_000;

/**
 * Creates a link to a customer's portal and stores only the hash of its token. Calls with the same `operationKey`
 * return the same link.
 * @throws Problem 404 `customer_not_found`; 422 `quota_exceeded`; 503 when the customers service does not reply
 */
export function createSession({ em, outbox, rpc, publicUrl, tokenKey }: CreateSessionDependencies) {
  const toResource = (token: string, { id: sessionId, expiresAt }: PortalSession) => {
    const { absolute, page } = portalLinks(publicUrl, token);
    return { sessionId, token, portalUrl: absolute(page), expiresAt };
  };

  return async (
    scope: ProjectScope,
    { customerId, ttlMs, returnUrl, locale }: NewSession,
    context: AuditContext,
    operationKey?: string,
  ) => {
    const { teamId, projectId } = scope;
    const token = operationKey === undefined ? createToken() : tokenOfOperation(tokenKey, operationKey);
    const tokenHash = hashToken(token);
    const existing = operationKey && (await em.fork().findOne(PortalSession, { teamId, projectId, tokenHash }));
    if (existing) return toResource(token, existing);

    const customer = await rpc.call(FindCustomer, { teamId, projectId, customerId });
    if (!customer) throw notFound('customer');

    const session = await outbox.transaction(async (tx, publish) => {
      const createdAt = await databaseTime(tx);
      const own = { teamId, projectId, customerId };
      await lockObjects(tx, 'portal-sessions', [{ scope, id: customerId }]);
      const working = { ...own, revokedAt: null, expiresAt: { $gt: createdAt } };
      if ((await tx.count(PortalSession, working)) >= QUOTA) throw quotaExceeded('portal_sessions', QUOTA);
      const id = PortalSessionId.create();
      const changes = changesOf(null, { customerId, ttlMs, token }, ['token']);
      recordAudit(publish, teamId, context, { target: { type: 'portal_session', id }, changes });
      return tx.create(PortalSession, {
        id,
        ...own,
        tokenHash,
        returnUrl: returnUrl ?? null,
        locale: locale ?? null,
        expiresAt: new Date(createdAt.getTime() + ttlMs),
        revokedAt: null,
        createdAt,
      });
    });
    return toResource(token, session);
  };
}

import type { EntityManager } from '@mikro-orm/postgresql';
import { PortalSessionCreated } from '@billing/contracts/events/portal';
import { PortalSessionId, type CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { FindCustomer } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { record } from '@billing/messaging/outbox';
import { portalLinks } from '#domain/links.ts';
import { createToken, hashToken, tokenOfOperation } from '#domain/token.ts';
import { databaseTime } from '#persistence/database-time.ts';
import { PortalSession } from '#persistence/portal-session.entity.ts';

interface NewSession {
  readonly customerId: CustomerId;
  /** How long the link works, in milliseconds. */
  readonly ttlMs: number;
  readonly returnUrl?: string | undefined;
}

interface OpenSessionDependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly publicUrl: string;
  /** 32 bytes: makes the token of a repeated request again, so that it need not be kept. */
  readonly tokenKey: Buffer;
}

/**
 * Makes a link to a customer's portal; only its token's hash is kept. The same `operationKey` answers the same link.
 * @throws Problem 404 `customer_not_found`; 503 when the customers service does not answer
 */
export function openSession({ em, rpc, publicUrl, tokenKey }: OpenSessionDependencies) {
  const answer = (token: string, { id: sessionId, expiresAt }: Pick<PortalSession, 'id' | 'expiresAt'>) => {
    const { absolute, page } = portalLinks(publicUrl, token);
    return { sessionId, token, portalUrl: absolute(page), expiresAt };
  };

  return async (scope: ProjectScope, { customerId, ttlMs, returnUrl }: NewSession, operationKey?: string) => {
    const token = operationKey === undefined ? createToken() : tokenOfOperation(tokenKey, operationKey);
    const tokenHash = hashToken(token);
    const made = operationKey && (await em.fork().findOne(PortalSession, { ...scope, tokenHash }));
    if (made) return answer(token, made);

    const customer = await rpc.call(FindCustomer, { ...scope, customerId });
    if (!customer) throw notFound('customer');

    const sessionId = PortalSessionId.create();
    const expiresAt = await em.fork().transactional(async tx => {
      const createdAt = await databaseTime(tx);
      const expiry = new Date(createdAt.getTime() + ttlMs);
      tx.create(PortalSession, {
        ...scope,
        id: sessionId,
        customerId,
        tokenHash,
        returnUrl: returnUrl ?? null,
        expiresAt: expiry,
        revokedAt: null,
        createdAt,
      });
      const { projectId } = scope;
      record(tx, PortalSessionCreated, scope.teamId, { sessionId, projectId, customerId, expiresAt: expiry });
      return expiry;
    });
    return answer(token, { id: sessionId, expiresAt });
  };
}

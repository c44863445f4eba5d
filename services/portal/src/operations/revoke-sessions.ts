import { raw, type EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, PortalSessionId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { Outbox } from '@billing/messaging/outbox';
import { recordAudit } from '@billing/service/audit';
import { PortalSession } from '#persistence/portal-session.entity.ts';

interface Dependencies {
  readonly em: EntityManager;
}

/**
 * Revokes one session. Revoking it again changes nothing, `revokedAt` included.
 * @throws Problem 404 `portal_session_not_found`
 */
export function revokeSession({ outbox }: { readonly outbox: Outbox }) {
  return ({ teamId, projectId }: ProjectScope, id: PortalSessionId, context: AuditContext): Promise<void> =>
    outbox.transaction(async (tx, publish) => {
      const revokedAt = raw('clock_timestamp()');
      const revoked = await tx.nativeUpdate(PortalSession, { teamId, projectId, id, revokedAt: null }, { revokedAt });
      if (revoked === 0 && (await tx.count(PortalSession, { teamId, projectId, id })) === 0)
        throw notFound('portal_session');
      const changes = revoked > 0 ? [{ field: 'isRevoked', from: false, to: true }] : [];
      recordAudit(publish, teamId, context, { target: { type: 'portal_session', id }, changes });
    });
}

/** Revokes every session of these customers, in the caller's transaction `em`. A second run changes nothing. */
export function revokeSessionsOfCustomers({ em }: Dependencies) {
  return async (customers: readonly (ProjectScope & { readonly customerId: CustomerId })[]): Promise<void> => {
    if (customers.length === 0) return;
    const theirs = customers.map(({ teamId, projectId, customerId }) => ({ teamId, projectId, customerId }));
    await em.nativeUpdate(PortalSession, { $or: theirs, revokedAt: null }, { revokedAt: raw('clock_timestamp()') });
  };
}

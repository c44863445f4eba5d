import { raw, type EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, PortalSessionId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { PortalSession } from '#persistence/portal-session.entity.ts';

interface Dependencies {
  readonly em: EntityManager;
}

/**
 * Revokes one session. Revoking it again changes nothing, `revokedAt` included.
 * @throws Problem 404 `portal_session_not_found`
 */
export function revokeSession({ em }: Dependencies) {
  return async ({ teamId, projectId }: ProjectScope, id: PortalSessionId): Promise<void> => {
    const revokedAt = raw('coalesce(revoked_at, clock_timestamp())');
    const matched = await em.fork().nativeUpdate(PortalSession, { teamId, projectId, id }, { revokedAt });
    if (matched === 0) throw notFound('portal_session');
  };
}

/** Revokes every session of these customers, in the caller's transaction `em`. A second run changes nothing. */
export function revokeSessionsOfCustomers({ em }: Dependencies) {
  return async (customers: readonly (ProjectScope & { readonly customerId: CustomerId })[]): Promise<void> => {
    if (customers.length === 0) return;
    const theirs = customers.map(({ teamId, projectId, customerId }) => ({ teamId, projectId, customerId }));
    await em.nativeUpdate(PortalSession, { $or: theirs, revokedAt: null }, { revokedAt: raw('clock_timestamp()') });
  };
}

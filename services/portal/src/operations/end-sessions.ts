import { raw, type EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, PortalSessionId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { PortalSession } from '#persistence/portal-session.entity.ts';

/** Ends every link of a customer, inside the caller's transaction. A second time changes nothing. */
export async function endSessionsOf(tx: EntityManager, scope: ProjectScope, customerId: CustomerId): Promise<void> {
  const live = { ...scope, customerId, revokedAt: null };
  await tx.nativeUpdate(PortalSession, live, { revokedAt: raw('clock_timestamp()') });
}

/**
 * Ends one link. Ending one that is over changes nothing, not even when it ended.
 * @throws Problem 404 `portal_session_not_found`
 */
export async function endSession(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  id: PortalSessionId,
): Promise<void> {
  const ended = await em.nativeUpdate(
    PortalSession,
    { teamId, projectId, id },
    { revokedAt: raw('coalesce(revoked_at, clock_timestamp())') },
  );
  if (ended === 0) throw notFound('portal_session');
}

import { portalOperations } from '@billing/contracts/operations/portal';
import { findNewest } from '@billing/database/find-newest';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { createSession, type CreateSessionDependencies } from '#operations/create-session.ts';
import { revokeSession } from '#operations/revoke-sessions.ts';
import { isLive } from '#persistence/database-clock.ts';
import { PortalSession } from '#persistence/portal-session.entity.ts';

/** Creates, lists and revokes links to the portal, for members and API keys of a project. */
export function sessionRoutes(dependencies: CreateSessionDependencies) {
  const { em, outbox } = dependencies;
  const create = createSession(dependencies);
  const revoke = revokeSession({ outbox });

  return async (app: HttpServer): Promise<void> => {
    // A response contains the token, which only its holder has: the operation key is enough to make it again.
    serve(
      app,
      portalOperations.createPortalSession,
      ({ params, body, audit, operationKey }) => create(params, body, audit, operationKey),
      { storesResponse: false },
    );

    serve(app, portalOperations.listPortalSessions, async ({ params, query: { customerId, ...page } }) => {
      const where = { ...params, customerId, ...isLive() };
      const [sessions, pagination] = await findNewest(em.fork(), PortalSession, where, page);
      return { sessions: sessions.map(toResource), pagination };
    });

    serve(app, portalOperations.revokePortalSession, async ({ params: { sessionId, ...scope }, audit }) => {
      await revoke(scope, sessionId, audit);
      return { success: true };
    });
  };
}

function toResource({
  id: sessionId,
  customerId,
  returnUrl = null,
  locale = null,
  createdAt,
  expiresAt,
}: PortalSession) {
  return { sessionId, customerId, returnUrl, locale, createdAt, expiresAt };
}

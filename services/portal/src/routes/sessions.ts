import { portalOperations } from '@billing/contracts/operations/portal';
import type { HttpServer } from '@billing/service/http';
import { idempotencyKeyOf, runOnce } from '@billing/service/idempotency';
import { serve } from '@billing/service/serve';
import { createSession, type CreateSessionDependencies } from '#operations/create-session.ts';
import { listSessions } from '#operations/list-sessions.ts';
import { revokeSession } from '#operations/revoke-sessions.ts';
import type { PortalSession } from '#persistence/portal-session.entity.ts';

/** Creates, lists and revokes links to the portal, for members and API keys of a project. */
export function sessionRoutes(dependencies: CreateSessionDependencies) {
  const { em } = dependencies;
  const create = createSession(dependencies);
  const list = listSessions({ em });
  const revoke = revokeSession({ em });

  return async (app: HttpServer): Promise<void> => {
    serve(app, portalOperations.createPortalSession, async ({ params, body, request, reply }) => {
      const key = idempotencyKeyOf(request.headers['idempotency-key']);
      if (key === undefined) return create(params, body);
      // The response contains the token, so it is not stored: the stored operation key is enough to rebuild it.
      const call = { owner: params.projectId, key, method: request.method, path: request.url, body };
      const { body: operationKey, replayed } = await runOnce(em, call, async newKey => {
        await create(params, body, newKey);
        return { status: 201, body: newKey };
      });
      if (replayed) reply.header('idempotent-replayed', 'true');
      return create(params, body, operationKey);
    });

    serve(app, portalOperations.listPortalSessions, async ({ params, query }) => {
      const { sessions, pagination } = await list(params, query);
      return { sessions: sessions.map(toResource), pagination };
    });

    serve(app, portalOperations.revokePortalSession, async ({ params: { sessionId, ...scope } }) => {
      await revoke(scope, sessionId);
      return { success: true };
    });
  };
}

function toResource({ id: sessionId, customerId, returnUrl = null, createdAt, expiresAt }: PortalSession) {
  return { sessionId, customerId, returnUrl, createdAt, expiresAt };
}

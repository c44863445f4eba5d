import { portalOperations } from '@billing/contracts/operations/portal';
import type { HttpServer } from '@billing/service/http';
import { idempotencyKeyOf, runOnce } from '@billing/service/idempotency';
import { serve } from '@billing/service/serve';
import { endSession } from '#operations/end-sessions.ts';
import { listSessions } from '#operations/list-sessions.ts';
import { openSession } from '#operations/open-session.ts';
import type { PortalSession } from '#persistence/portal-session.entity.ts';
import type { Dependencies } from '../app.ts';

/** Links to the portal: made, listed and revoked by those who run a project. */
export function serveSessions(app: HttpServer, dependencies: Dependencies): void {
  const { em } = dependencies.database;
  const open = openSession({ ...dependencies, em });

  serve(app, portalOperations.createPortalSession, async ({ params, body, request, reply }) => {
    const key = idempotencyKeyOf(request.headers['idempotency-key']);
    if (key === undefined) return open(params, body);
    // The answer holds a token, which is never kept: what is kept is enough to make it again.
    const call = { owner: params.projectId, key, method: request.method, path: request.url, body };
    const { body: operationKey, replayed } = await runOnce(em, call, async it => {
      await open(params, body, it);
      return { status: 201, body: it };
    });
    if (replayed) reply.header('idempotent-replayed', 'true');
    return open(params, body, operationKey);
  });

  serve(app, portalOperations.listPortalSessions, async ({ params, query }) => {
    const { sessions, pagination } = await listSessions(em.fork(), params, query);
    return { sessions: sessions.map(toResource), pagination };
  });

  serve(app, portalOperations.revokePortalSession, async ({ params: { sessionId, ...scope } }) => {
    await endSession(em.fork(), scope, sessionId);
    return { success: true };
  });
}

function toResource({ id: sessionId, customerId, returnUrl = null, createdAt, expiresAt }: PortalSession) {
  return { sessionId, customerId, returnUrl, createdAt, expiresAt };
}

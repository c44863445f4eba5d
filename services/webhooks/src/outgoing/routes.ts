import { outgoingOperations as operations } from '@billing/contracts/operations/outgoing';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import type { TeamReads } from '@billing/service/team-reads';
import { endOfWait } from '@billing/service/waiting-requests';
import { createEndpoint, deleteEndpoint, rotateSecret, updateEndpoint } from './change-endpoints.ts';
import { describeDelivery, listDeliveries, retryDelivery, sendEvent } from './deliveries.ts';
import { recoverEvents } from './recover.ts';
import { findEndpoint, listEndpoints, showEndpoint } from './show-endpoints.ts';
import { testEndpoint } from './test-endpoint.ts';
import { findEvent, listEvents } from './list-events.ts';
import { waitForEvents } from './wait-for-events.ts';

type Parts = Parameters<typeof createEndpoint>[0] &
  Parameters<typeof testEndpoint>[0] &
  Parameters<typeof sendEvent>[0] &
  Parameters<typeof recoverEvents>[0] & { readonly reads: TeamReads };

/** Endpoints of a project, and what was delivered to them. */
export const webhookEndpointRoutes =
  (parts: Parts) =>
  (app: HttpServer): void => {
    const { reads } = parts;
    const [create, update, remove] = [createEndpoint(parts), updateEndpoint(parts), deleteEndpoint(parts)];
    const [rotate, test, send, retry] = [
      rotateSecret(parts),
      testEndpoint(parts),
      sendEvent(parts),
      retryDelivery(parts),
    ];
    const recover = recoverEvents(parts);
    const withSecret = { storesResponse: false };

    serve(
      app,
      operations.createWebhookEndpoint,
      ({ params, body, audit, operationKey }) => create(params, body, audit, operationKey),
      withSecret,
    );
    serve(app, operations.listWebhookEndpoints, ({ params, query }) =>
      reads(params.teamId, em => listEndpoints(em, params, query)),
    );
    serve(app, operations.getWebhookEndpoint, ({ params: { webhookEndpointId, ...scope } }) =>
      reads(scope.teamId, async em => {
        const fork = em.fork();
        return { webhookEndpoint: await showEndpoint(fork, await findEndpoint(fork, scope, webhookEndpointId)) };
      }),
    );
    serve(app, operations.updateWebhookEndpoint, async ({ params: { webhookEndpointId, ...scope }, body, audit }) => ({
      webhookEndpoint: await update(scope, webhookEndpointId, body, audit),
    }));
    serve(app, operations.deleteWebhookEndpoint, async ({ params: { webhookEndpointId, ...scope }, audit }) => {
      await remove(scope, webhookEndpointId, audit);
      return { success: true };
    });
    serve(
      app,
      operations.rotateWebhookSecret,
      ({ params: { webhookEndpointId, ...scope }, body: { overlapMs }, audit, operationKey }) =>
        rotate(scope, webhookEndpointId, overlapMs, audit, operationKey),
      withSecret,
    );
    serve(app, operations.testWebhookEndpoint, async ({ params: { webhookEndpointId, ...scope }, body, audit }) => ({
      attempt: await test(scope, webhookEndpointId, body.type, audit),
    }));
    serve(app, operations.sendWebhookEvent, async ({ params, body, audit, operationKey }) => {
      const { webhookEndpointId, ...scope } = params;
      return { delivery: await send(scope, webhookEndpointId, body.eventId, audit, operationKey) };
    });
    serve(
      app,
      operations.recoverWebhookEvents,
      async ({ params: { webhookEndpointId, ...scope }, body, audit, operationKey }) => ({
        recovery: await reads(scope.teamId, () => recover(scope, webhookEndpointId, body, audit, operationKey)),
      }),
    );

    serve(app, operations.listWebhookDeliveries, ({ params, query }) =>
      reads(params.teamId, em => listDeliveries(em, params, query)),
    );
    serve(app, operations.getWebhookDelivery, ({ params: { webhookDeliveryId, ...scope } }) =>
      reads(scope.teamId, em => describeDelivery(em, scope, webhookDeliveryId)),
    );
    serve(app, operations.retryWebhookDelivery, async ({ params: { webhookDeliveryId, ...scope }, audit }) => ({
      delivery: await retry(scope, webhookDeliveryId, audit),
    }));
  };

/** One that waits takes a place for each of its reads alone. */
const WAITING = { placeOf: ({ waitMs }: { readonly waitMs: number }) => (waitMs > 0 ? null : ('reads' as const)) };

/** Events for tenants, by cursor and one by one. */
export function eventRoutes(parts: Parameters<typeof waitForEvents>[0]) {
  const { reads } = parts;
  const closing = new AbortController();
  const list = waitForEvents(parts);
  return (app: HttpServer): void => {
    // Requests that wait get their response before the service closes.
    app.addHook('preClose', async () => closing.abort());
    serve(
      app,
      operations.listEvents,
      ({ params, query: { waitMs, ...query }, reply }) =>
        waitMs === 0
          ? reads(params.teamId, em => listEvents(em, params, query))
          : list(params, query, () => endOfWait(reply, waitMs, closing.signal)),
      WAITING,
    );
    serve(app, operations.getEvent, async ({ params: { publicEventId, ...scope } }) => ({
      event: await reads(scope.teamId, em => findEvent(em, scope, publicEventId)),
    }));
  };
}

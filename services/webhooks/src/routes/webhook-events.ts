import type { EntityManager } from '@mikro-orm/postgresql';
import { webhooksOperations } from '@billing/contracts/operations/webhooks';
import type { Outbox } from '@billing/messaging/outbox';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { listWebhookEvents } from '#operations/list-webhook-events.ts';
import { replayWebhookEvent } from '#operations/replay-webhook-event.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  /** Called when an event has become due. */
  readonly onDue: () => void;
}

/** The records of received webhook events. */
export const webhookEventRoutes =
  ({ em, outbox, onDue }: Dependencies) =>
  (app: HttpServer): void => {
    const list = listWebhookEvents(em);
    const replay = replayWebhookEvent(outbox);
    serve(app, webhooksOperations.listWebhookEvents, ({ params, query, principal }) =>
      list(params, query, { withUnrouted: principal.kind === 'user' }),
    );
    serve(app, webhooksOperations.replayWebhookEvent, async ({ params: { eventId, ...scope } }) => {
      const webhookEvent = await replay(scope, eventId);
      onDue();
      return { webhookEvent };
    });
  };

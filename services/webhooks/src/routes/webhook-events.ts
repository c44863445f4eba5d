import { webhooksOperations } from '@billing/contracts/operations/webhooks';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { listWebhookEvents } from '#operations/list-webhook-events.ts';
import { replayWebhookEvent } from '#operations/replay-webhook-event.ts';
import type { Dependencies } from '../app.ts';

/** The records of the events that were received. */
export function serveWebhookEvents(app: HttpServer, { database: { em }, onStored }: Dependencies): void {
  const list = listWebhookEvents(em);
  const replay = replayWebhookEvent(em);
  serve(app, webhooksOperations.listWebhookEvents, ({ params, query, principal }) =>
    list(params, query, { withUnrouted: principal.kind === 'user' }),
  );
  serve(app, webhooksOperations.replayWebhookEvent, async ({ params: { eventId, ...scope } }) => {
    const webhookEvent = await replay(scope, eventId);
    onStored();
    return { webhookEvent };
  });
}

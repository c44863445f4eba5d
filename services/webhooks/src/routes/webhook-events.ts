import type { EntityManager } from '@mikro-orm/postgresql';
import { webhooksOperations } from '@billing/contracts/operations/webhooks';
import type { Outbox } from '@billing/messaging/outbox';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { findTeamWebhookEvent, listTeamWebhookEvents, listWebhookEvents } from '#operations/find-webhook-events.ts';
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
    const replayEvent = replayWebhookEvent(outbox);
    const replay = async (...event: Parameters<typeof replayEvent>) => {
      const webhookEvent = await replayEvent(...event);
      onDue();
      return { webhookEvent };
    };
    // Events without a project belong to the team: only its members see them.
    serve(app, webhooksOperations.listWebhookEvents, ({ params: { teamId, projectId }, query, principal }) =>
      list(teamId, principal.kind === 'user' ? [projectId, null] : [projectId], query),
    );
    serve(app, webhooksOperations.listTeamWebhookEvents, ({ params: { teamId }, query: { projectId, ...query } }) =>
      projectId === 'none' ? list(teamId, [null], query) : listTeamWebhookEvents(em, teamId, query),
    );
    serve(app, webhooksOperations.getTeamWebhookEvent, ({ params: { teamId, eventId } }) =>
      findTeamWebhookEvent(em, teamId, eventId),
    );
    serve(app, webhooksOperations.replayWebhookEvent, ({ params: { teamId, projectId, eventId }, audit }) =>
      replay(teamId, projectId, eventId, audit),
    );
    serve(app, webhooksOperations.replayTeamWebhookEvent, ({ params: { teamId, eventId }, audit }) =>
      replay(teamId, null, eventId, audit),
    );
  };

import { webhooksOperations } from '@billing/contracts/operations/webhooks';
import type { Outbox } from '@billing/messaging/outbox';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import type { TeamReads } from '@billing/service/team-reads';
import { findTeamWebhookEvent, listTeamWebhookEvents, listWebhookEvents } from './find-webhook-events.ts';
import { replayWebhookEvent } from './replay-webhook-event.ts';

interface Dependencies {
  readonly reads: TeamReads;
  readonly outbox: Outbox;
  /** Called when an event has become due. */
  readonly onDue: () => void;
}

/** The records of received webhook events. */
export const webhookEventRoutes =
  ({ reads, outbox, onDue }: Dependencies) =>
  (app: HttpServer): void => {
    const replayEvent = replayWebhookEvent(outbox);
    const replay = async (...event: Parameters<typeof replayEvent>) => {
      const webhookEvent = await replayEvent(...event);
      onDue();
      return { webhookEvent };
    };
    // Events without a project belong to the team: only its members see them.
    serve(app, webhooksOperations.listWebhookEvents, ({ params: { teamId, projectId }, query, principal }) =>
      reads(teamId, em =>
        listWebhookEvents(em, teamId, principal.kind === 'user' ? [projectId, null] : [projectId], query),
      ),
    );
    serve(app, webhooksOperations.listTeamWebhookEvents, ({ params: { teamId }, query: { projectId, ...query } }) =>
      reads(teamId, em =>
        projectId === 'none' ? listWebhookEvents(em, teamId, [null], query) : listTeamWebhookEvents(em, teamId, query),
      ),
    );
    serve(app, webhooksOperations.getTeamWebhookEvent, ({ params: { teamId, eventId } }) =>
      reads(teamId, em => findTeamWebhookEvent(em, teamId, eventId)),
    );
    serve(app, webhooksOperations.replayWebhookEvent, ({ params: { teamId, projectId, eventId }, audit }) =>
      replay(teamId, projectId, eventId, audit),
    );
    serve(app, webhooksOperations.replayTeamWebhookEvent, ({ params: { teamId, eventId }, audit }) =>
      replay(teamId, null, eventId, audit),
    );
  };

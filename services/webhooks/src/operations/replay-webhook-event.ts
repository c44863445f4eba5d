import type { ProjectScope } from '@billing/contracts/ids';
import { conflict, notFound } from '@billing/contracts/problem';
import type { WebhookEvent } from '@billing/contracts/resources/webhook-event';
import type { Outbox } from '@billing/messaging/outbox';
import { RECORD_COLUMNS, toResource, type RecordRow } from '#persistence/record-row.ts';
import { publishChanges } from '#pipeline/publish-changes.ts';

/**
 * Has a failed event handled once more: by the projects in which it failed, or from the search for its project if it never
 * found one. It is published as a new event, so that consumers do not take it for the one that failed.
 * @throws Problem 404; 409 `webhook_event_not_failed`
 */
export function replayWebhookEvent(outbox: Outbox) {
  return ({ teamId, projectId }: ProjectScope, eventId: string): Promise<WebhookEvent> =>
    outbox.transaction(async (tx, publish) => {
      const [locked] = await tx.execute<{ status: string }[]>(
        `select status from webhook_events
          where team_id = ? and id = ? and (project_id = ? or project_id is null) for update`,
        [teamId, eventId, projectId],
      );
      if (!locked) throw notFound('webhook_event');
      if (locked.status !== 'failed')
        throw conflict('webhook_event_not_failed', 'Only a failed event can be replayed.');
      const [row] = await tx.execute<RecordRow[]>(
        `update webhook_events e
            set status = 'received', awaiting = failed_in, failed_in = '{}', outcome = null, attempts = 0, error = null,
                processed_at = null, routing_attempts = 0, waiting_for = null, lease_id = null,
                due_at = clock_timestamp(), replays = replays + 1, version = version + 1
          where team_id = ? and id = ?
          returning ${RECORD_COLUMNS}`,
        [teamId, eventId],
      );
      if (!row) throw notFound('webhook_event');
      publishChanges([row], publish);
      return toResource(row);
    });
}

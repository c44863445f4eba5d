import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, ProjectScope } from '@billing/contracts/ids';
import { conflict, notFound } from '@billing/contracts/problem';
import type { WebhookEvent } from '@billing/contracts/resources/webhook-event';
import { recordOf } from '#persistence/record-row.ts';
import { readPayload } from '#domain/payload.ts';
import { recordChanges, recordFacts, ROUTED_COLUMNS, type RoutedRow } from '#processing/record-facts.ts';

interface LockedRow {
  readonly status: string;
  readonly failed_in: readonly ProjectId[];
}

/**
 * Has a failed event handled once more: by the projects in which it failed, or from the search for its project when it
 * never found one. The fact gets an id of its own, so that no inbox takes it for the one that failed.
 * @throws Problem 404; 409 `webhook_event_not_failed`
 */
export function replayWebhookEvent(em: EntityManager) {
  return ({ teamId, projectId }: ProjectScope, eventId: string): Promise<WebhookEvent> =>
    em.fork().transactional(async tx => {
      const [locked] = await tx.execute<LockedRow[]>(
        `select status, to_jsonb(failed_in) as failed_in from webhook_events
          where team_id = ? and id = ? and (project_id = ? or project_id is null) for update`,
        [teamId, eventId, projectId],
      );
      if (!locked) throw notFound('webhook_event');
      if (locked.status !== 'failed')
        throw conflict('webhook_event_not_failed', 'Only a failed event can be replayed.');
      const [row] = await tx.execute<(RoutedRow & { payload: unknown })[]>(
        `update webhook_events e
            set status = 'received', awaiting = failed_in, failed_in = '{}', outcome = null, attempts = 0, error = null,
                processed_at = null, routing_attempts = 0, waiting_for = null, claim_id = null, version = version + 1,
                due_at = case when cardinality(failed_in) = 0 then clock_timestamp() end
          where team_id = ? and id = ?
          returning ${ROUTED_COLUMNS}, e.payload`,
        [teamId, eventId],
      );
      if (!row) throw notFound('webhook_event');
      await recordFacts(tx, [{ row, content: readPayload(row.payload), projects: locked.failed_in }]);
      await recordChanges(tx, [row]);
      return recordOf(row);
    });
}

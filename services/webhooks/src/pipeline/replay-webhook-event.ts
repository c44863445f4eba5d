import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import { conflict, notFound } from '@billing/contracts/problem';
import { isHandled } from '@billing/contracts/processor-events';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { WebhookEvent, WebhookEventStatus } from '@billing/contracts/resources/webhook-event';
import type { Outbox } from '@billing/messaging/outbox';
import { recordAudit } from '@billing/service/audit';
import { FOREIGN, LIVEMODE_MISMATCH } from './unrouted.rules.ts';
import { countChanges } from './event-totals.ts';
import { RECORD_COLUMNS, toResource, type RecordRow } from './records.ts';

interface LockedRow {
  readonly status: WebhookEventStatus;
  readonly projectId: ProjectId | null;
  readonly type: string;
  readonly error: string | null;
  readonly has_payload: boolean;
  /** Whether its mode, live or test, is that of the team's account. */
  readonly fits: boolean;
}

/**
 * Has an event handled once more that failed, or that was ignored although its type is handled: by the projects in which it
 * failed, or from the search for its project if it never found one. It is published as a new event, so that consumers do
 * not take it for the one that failed. `projectId` restricts it to events of that project and of none; null does not.
 * @throws Problem 404; 409 `webhook_event_not_failed`, `webhook_event_payload_deleted`
 */
export function replayWebhookEvent(outbox: Outbox) {
  return (teamId: TeamId, projectId: ProjectId | null, eventId: string, context: AuditContext): Promise<WebhookEvent> =>
    outbox.transaction(async (tx, publish) => {
      const locked = await lockEvent(tx, teamId, projectId, eventId);
      if (!locked) throw notFound('webhook_event');
      if (!mayReplay(locked))
        throw conflict(
          'webhook_event_not_failed',
          'Only an event that failed, is foreign, or was of the other mode than the account can be replayed.',
        );
      if (!locked.has_payload)
        throw conflict('webhook_event_payload_deleted', 'The event is so old that only its record is left.');
      const [row] = await tx.execute<RecordRow[]>(
        `update webhook_events e
            set status = 'received', awaiting = failed_in, failed_in = '{}', attempts = 0, error = null,
                processed_at = null, routing_attempts = 0, waiting_for = null, lease_id = null,
                due_at = clock_timestamp(), replays = replays + 1
          where team_id = ? and id = ?
          returning ${RECORD_COLUMNS}`,
        [teamId, eventId],
      );
      if (!row) throw notFound('webhook_event');
      const { status: formerStatus, projectId: formerProjectId } = locked;
      await countChanges(tx, publish, [{ ...row, formerStatus, formerProjectId, syncId: null }]);
      const changes = [{ field: 'status', from: locked.status, to: 'received' }];
      recordAudit(publish, teamId, context, { target: { type: 'webhook_event', id: eventId }, changes });
      return toResource(row);
    });
}

async function lockEvent(tx: EntityManager, teamId: TeamId, projectId: ProjectId | null, eventId: string) {
  const [row] = await tx.execute<LockedRow[]>(
    `select e.status, e.project_id as "projectId", e.type, e.error, e.payload is not null as has_payload,
            coalesce((select a.livemode = e.livemode from processor_accounts a where a.team_id = e.team_id), true) as fits
       from webhook_events e
      where e.team_id = ? and e.id = ? and (?::text is null or e.project_id is null or e.project_id = ?) for update`,
    [teamId, eventId, projectId, projectId],
  );
  return row;
}

function mayReplay({ status, type, error, fits }: LockedRow): boolean {
  if (status !== 'ignored') return status === 'failed';
  return isHandled(type) && (error === FOREIGN || (error === LIVEMODE_MISMATCH && fits));
}

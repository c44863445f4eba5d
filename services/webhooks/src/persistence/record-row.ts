import type { ProjectId, SyncId, TeamId } from '@billing/contracts/ids';
import type { RoutedBy, WebhookEvent, WebhookEventStatus } from '@billing/contracts/resources/webhook-event';

/** What a statement on `webhook_events e` returns, so that `toResource` can read it; times are milliseconds since 1970. */
export const RECORD_COLUMNS = `
  e.team_id, e.id, e.type, e.api_version, e.livemode, e.object_id, e.status, e.project_id, e.routed_by, e.attempts,
  e.error, e.version, e.recovered, e.sync_id,
  (extract(epoch from e.processor_created_at) * 1000)::float8 as created_ms,
  (extract(epoch from e.received_at) * 1000)::float8 as received_ms,
  (extract(epoch from e.processed_at) * 1000)::float8 as processed_ms`;

export interface RecordRow {
  readonly team_id: TeamId;
  readonly id: string;
  readonly type: string;
  readonly api_version: string | null;
  readonly livemode: boolean;
  readonly object_id: string | null;
  readonly status: WebhookEventStatus;
  readonly project_id: ProjectId | null;
  readonly routed_by: RoutedBy | null;
  readonly attempts: number;
  readonly error: string | null;
  readonly version: number;
  readonly created_ms: number;
  readonly received_ms: number;
  readonly processed_ms: number | null;
  readonly recovered: boolean;
  /** The sync that has read the object, in place of an event. */
  readonly sync_id: SyncId | null;
}

/** The record of an event as the API and `webhook-event.changed` show it, with its version. */
export function toResource(row: RecordRow): WebhookEvent & { version: number } {
  return {
    id: row.id,
    teamId: row.team_id,
    projectId: row.project_id,
    type: row.type,
    apiVersion: row.api_version,
    livemode: row.livemode,
    objectId: row.object_id,
    status: row.status,
    routedBy: row.routed_by,
    attempts: row.attempts,
    error: row.error,
    processorCreatedAt: new Date(row.created_ms),
    receivedAt: new Date(row.received_ms),
    processedAt: row.processed_ms === null ? null : new Date(row.processed_ms),
    recovered: row.recovered,
    version: row.version,
  };
}

import type { WebhookEvent } from '@billing/contracts/resources/webhook-event';

/** What a statement on `webhook_events e` returns, so that `toResource` can read it. */
export const RECORD_COLUMNS = `
  e.team_id as "teamId", e.id, e.type, e.api_version as "apiVersion", e.livemode, e.object_id as "objectId", e.status,
  e.project_id as "projectId", e.routed_by as "routedBy", e.attempts, e.error, e.recovered,
  (extract(epoch from e.processor_created_at) * 1000)::float8 as "createdMs",
  (extract(epoch from e.received_at) * 1000)::float8 as "receivedMs",
  (extract(epoch from e.processed_at) * 1000)::float8 as "processedMs"`;

/** Times are milliseconds since 1970. */
export interface RecordRow extends Omit<WebhookEvent, 'processorCreatedAt' | 'receivedAt' | 'processedAt'> {
  readonly createdMs: number;
  readonly receivedMs: number;
  readonly processedMs: number | null;
}

/** The record of an event as the API shows it. */
export function toResource({ createdMs, receivedMs, processedMs, ...record }: RecordRow): WebhookEvent {
  return {
    ...record,
    processorCreatedAt: new Date(createdMs),
    receivedAt: new Date(receivedMs),
    processedAt: processedMs === null ? null : new Date(processedMs),
  };
}

import { metrics } from '@opentelemetry/api';
import { WebhookEventChanged } from '@billing/contracts/events/webhooks';
import type { SyncId } from '@billing/contracts/ids';
import type { WebhookEvent } from '@billing/contracts/resources/webhook-event';
import type { Publish } from '@billing/messaging/outbox';
import { publishBatched } from '@billing/messaging/publish-batched';
import { currentTrace } from '@billing/tracing/trace-carrier';

/** What a statement on `webhook_events e` returns, so that `toResource` can read it. */
export const RECORD_COLUMNS = `
  e.team_id as "teamId", e.id, e.type, e.api_version as "apiVersion", e.livemode, e.object_id as "objectId", e.status,
  e.project_id as "projectId", e.routed_by as "routedBy", e.attempts, e.error, e.version, e.recovered, e.sync_id as "syncId",
  (extract(epoch from e.processor_created_at) * 1000)::float8 as "createdMs",
  (extract(epoch from e.received_at) * 1000)::float8 as "receivedMs",
  (extract(epoch from e.processed_at) * 1000)::float8 as "processedMs"`;

/** Times are milliseconds since 1970. */
export interface RecordRow extends Omit<WebhookEvent, 'processorCreatedAt' | 'receivedAt' | 'processedAt'> {
  readonly version: number;
  /** The sync that has read the object, in place of an event. */
  readonly syncId: SyncId | null;
  readonly createdMs: number;
  readonly receivedMs: number;
  readonly processedMs: number | null;
}

/** The record of an event as the API and `webhook-event.changed` show it, with its version. */
export function toResource(row: RecordRow): WebhookEvent & { version: number } {
  const { syncId: _syncId, createdMs, receivedMs, processedMs, ...record } = row;
  return {
    ...record,
    processorCreatedAt: new Date(createdMs),
    receivedAt: new Date(receivedMs),
    processedAt: processedMs === null ? null : new Date(processedMs),
  };
}

/**
 * Publishes the new records of events, and counts those that ended; those without a project concern no other service. What a
 * sync has read is no event.
 */
export function publishChanges(rows: readonly RecordRow[], publish: Publish): void {
  const events = rows.filter(row => row.syncId === null);
  recordOutcomes(events);
  const trace = currentTrace();
  publishBatched(
    publish,
    WebhookEventChanged,
    events.filter(row => row.projectId !== null).map(row => ({ teamId: row.teamId, item: toResource(row), trace })),
    webhookEvents => ({ webhookEvents }),
  );
}

let instruments: ReturnType<typeof createInstruments> | undefined;

/** Counts the events that ended, and how long after Stripe created them those that were applied took effect everywhere. */
function recordOutcomes(rows: readonly RecordRow[]): void {
  instruments ??= createInstruments();
  const { events, ages } = instruments;
  const ended = rows.filter(({ status }) => status !== 'received');
  for (const [, [first, ...others]] of Map.groupBy(ended, ({ type, status }) => `${type} ${status}`))
    if (first) events.add(1 + others.length, { type: first.type, outcome: first.status });
  for (const { status, recovered, createdMs, processedMs } of ended)
    if (status === 'processed' && processedMs !== null)
      ages.record(Math.max(0, processedMs - createdMs) / 1_000, { recovered });
}

function createInstruments() {
  const meter = metrics.getMeter('billing.webhooks');
  const events = meter.createCounter('billing.webhook.events', {
    description: 'Webhook events that ended, by type and outcome.',
  });
  const ages = meter.createHistogram('billing.webhook.applied.age', {
    description: 'Time from the creation of an event at Stripe until every service has applied it.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 21_600] },
  });
  return { events, ages };
}

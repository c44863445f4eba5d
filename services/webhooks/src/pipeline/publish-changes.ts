import { WebhookEventChanged } from '@billing/contracts/events/webhooks';
import type { Publish } from '@billing/messaging/outbox';
import { publishBatched } from '@billing/messaging/publish-batched';
import { currentTrace } from '@billing/tracing/trace-carrier';
import { recordOutcomes } from './outcome-metrics.ts';
import { toResource, type RecordRow } from '#persistence/record-row.ts';

/** Publishes the new records of events, and counts those that ended; those without a project concern no other service. */
export function publishChanges(rows: readonly RecordRow[], publish: Publish): void {
  recordOutcomes(rows);
  const trace = currentTrace();
  publishBatched(
    publish,
    WebhookEventChanged,
    rows.filter(row => row.project_id !== null).map(row => ({ teamId: row.team_id, item: toResource(row), trace })),
    webhookEvents => ({ webhookEvents }),
  );
}

import { metrics } from '@opentelemetry/api';
import { WebhookEventChanged } from '@billing/contracts/events/webhooks';
import type { Publish } from '@billing/messaging/outbox';
import { publishBatched } from '@billing/messaging/publish-batched';
import { currentTrace } from '@billing/tracing/trace-carrier';
import { toResource, type RecordRow } from '#persistence/record-row.ts';

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

import { metrics } from '@opentelemetry/api';
import type { RecordRow } from '#persistence/record-row.ts';

let instruments: ReturnType<typeof createInstruments> | undefined;

/** Counts the events that ended, and how long after Stripe created them those that were applied took effect everywhere. */
export function recordOutcomes(rows: readonly RecordRow[]): void {
  instruments ??= createInstruments();
  const { events, ages } = instruments;
  const ended = rows.filter(({ status }) => status !== 'received');
  for (const [, [first, ...others]] of Map.groupBy(ended, ({ type, status }) => `${type} ${status}`))
    if (first) events.add(1 + others.length, { type: first.type, outcome: first.status });
  for (const { status, recovered, created_ms: createdMs, processed_ms: processedMs } of ended)
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

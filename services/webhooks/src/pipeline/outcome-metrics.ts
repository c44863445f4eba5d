import { metrics } from '@opentelemetry/api';
import type { WebhookEventStatus } from '@billing/contracts/resources/webhook-event';

/** An event that has ended. */
export interface Ended {
  readonly type: string;
  readonly status: WebhookEventStatus;
  /** Whether the reconciler found it, since no webhook had delivered it. */
  readonly recovered: boolean;
  /** Seconds from its creation at Stripe to its end. */
  readonly age: number;
}

let instruments: ReturnType<typeof createInstruments> | undefined;

/** Counts events that have ended, and how long after Stripe created them those that were applied took effect everywhere. */
export function recordOutcomes(ended: readonly Ended[]): void {
  instruments ??= createInstruments();
  const { events, ages } = instruments;
  for (const [, [first, ...others]] of Map.groupBy(ended, ({ type, status }) => `${type} ${status}`))
    if (first) events.add(1 + others.length, { type: first.type, outcome: first.status });
  for (const { status, recovered, age } of ended)
    if (status === 'processed') ages.record(Math.max(0, age), { recovered });
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

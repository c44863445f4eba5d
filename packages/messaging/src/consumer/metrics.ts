import { metrics } from '@opentelemetry/api';

/** The instruments of one consumer, one per middleware. Without telemetry they do nothing. */
export function consumerMetrics(consumer: string) {
  const instruments = createInstruments(consumer);
  const { attributes, retries, deadLetters, timeouts, duplicates } = instruments;
  // A series that begins with its first failure would show no increase then.
  for (const counter of [retries, deadLetters, timeouts, duplicates]) counter.add(0, attributes);
  return instruments;
}

function createInstruments(consumer: string) {
  const meter = metrics.getMeter('billing.consumer');
  return {
    attributes: { 'messaging.consumer.group.name': consumer },
    retries: meter.createCounter('billing.consumer.retries', { description: 'Deliveries that are tried again.' }),
    deadLetters: meter.createCounter('billing.consumer.dead_letters', { description: 'Events that failed for good.' }),
    batchSize: meter.createHistogram('billing.consumer.batch.size', {
      description: 'Deliveries in one batch.',
      advice: { explicitBucketBoundaries: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048] },
    }),
    timeouts: meter.createCounter('billing.consumer.timeouts', { description: 'Batches that ran out of time.' }),
    duplicates: meter.createCounter('billing.consumer.duplicates', { description: 'Deliveries of processed events.' }),
    preparations: meter.createCounter('billing.consumer.preparations', {
      description: 'Reads outside of the transaction before an event could be handled.',
    }),
    handlerDuration: meter.createHistogram('billing.consumer.handler.duration', {
      description: 'Time that handlers take for their part of a batch.',
      unit: 's',
      advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
    }),
  };
}

export type ConsumerMetrics = ReturnType<typeof consumerMetrics>;

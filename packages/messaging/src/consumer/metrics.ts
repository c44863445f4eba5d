import { metrics } from '@opentelemetry/api';

/** The instruments of one consumer, one per middleware. Without telemetry they do nothing. */
export function consumerMetrics(consumer: string) {
  const meter = metrics.getMeter('billing.consumer');
  return {
    attributes: { 'messaging.consumer.group.name': consumer },
    retries: meter.createCounter('billing.consumer.retries', { description: 'Deliveries that are tried again.' }),
    deadLetters: meter.createCounter('billing.consumer.dead_letters', { description: 'Events that failed for good.' }),
    batchSize: meter.createHistogram('billing.consumer.batch.size', { description: 'Deliveries in one batch.' }),
    timeouts: meter.createCounter('billing.consumer.timeouts', { description: 'Batches that ran out of time.' }),
    duplicates: meter.createCounter('billing.consumer.duplicates', { description: 'Deliveries of processed events.' }),
    preparations: meter.createCounter('billing.consumer.preparations', {
      description: 'Reads outside of the transaction before an event could be handled.',
    }),
    handlerDuration: meter.createHistogram('billing.consumer.handler.duration', {
      description: 'Time that handlers take for their part of a batch.',
      unit: 's',
    }),
  };
}

export type ConsumerMetrics = ReturnType<typeof consumerMetrics>;

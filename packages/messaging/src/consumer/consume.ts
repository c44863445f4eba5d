import { SHORT_LINGER } from '@billing/database/linger';
import type { Logger } from 'pino';
import type { Bus } from '../bus.ts';
import type { Outbox } from '../outbox.ts';
import { batch } from './batch.ts';
import { complete } from './complete.ts';
import type { Consumer } from './consumer.ts';
import { deadLetter } from './dead-letter.ts';
import { deduplicate } from './deduplicate.ts';
import type { Receive } from './delivery.ts';
import { dispatch } from './dispatch.ts';
import { consumerMetrics } from './metrics.ts';
import { prepare } from './prepare.ts';
import { retry } from './retry.ts';
import { timeout } from './timeout.ts';

interface ConsumeParts {
  readonly outbox: Outbox;
  readonly logger: Logger;
}

/** The way of a delivery: each middleware calls the next one; from `timeout` on they work on a batch in one transaction. */
export function receiverOf(consumer: Consumer, { outbox, logger }: ConsumeParts): Receive {
  const { name, options } = consumer;
  const metrics = consumerMetrics(name);

  const inTransaction = deduplicate({ name, metrics })(complete(consumer)(dispatch({ consumer, metrics })));
  const batched = batch({ linger: options.linger ?? SHORT_LINGER, limitBatches: options.limitBatches, metrics })(
    timeout({ outbox, name, metrics })(inTransaction),
  );
  const handle = deadLetter({ consumer, outbox, logger, metrics })(prepare({ consumer, metrics })(batched));
  const receive = retry({ logger, metrics })(handle);
  return async delivery => (consumer.handlerOf(delivery.event.type) ? receive(delivery) : { kind: 'ack' });
}

/** Starts a consumer; the returned function stops it after the deliveries in flight. */
export function consume(
  consumer: Consumer,
  { bus, ...parts }: ConsumeParts & { readonly bus: Pick<Bus, 'subscribe'> },
): Promise<() => Promise<void>> {
  const { maxInFlight } = consumer.options;
  return bus.subscribe(
    consumer.name,
    consumer.filter,
    receiverOf(consumer, parts),
    maxInFlight === undefined ? {} : { maxInFlight },
  );
}

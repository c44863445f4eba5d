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
import { dropPurged } from './drop-purged.ts';
import { dispatch } from './dispatch.ts';
import { consumerMetrics } from './metrics.ts';
import { prepare } from './prepare.ts';
import { readUnreadableAgain, type ReadAgain } from './read-again.ts';
import { readStoredObject } from './read-stored.ts';
import { retry } from './retry.ts';
import type { WithStoredObject } from './stored-objects.ts';
import { timeout } from './timeout.ts';

interface ConsumeParts {
  readonly outbox: Outbox;
  readonly logger: Logger;
  /** Reads the objects of webhook events at the processor, in a service that has processors. */
  readonly readAgain?: ReadAgain | undefined;
  /** Reads the objects of webhook events that were too large for the bus. */
  readonly withStoredObject?: WithStoredObject | undefined;
}

/** The way of a delivery: each middleware calls the next one; from `timeout` on they work on a batch in one transaction. */
export function receiverOf(consumer: Consumer, { outbox, logger, readAgain, withStoredObject }: ConsumeParts): Receive {
  const { name, options } = consumer;
  const metrics = consumerMetrics(name);

  const inTransaction = deduplicate({ name, metrics })(dropPurged(complete(consumer)(dispatch({ consumer, metrics }))));
  const batched = batch({ name, linger: options.linger ?? SHORT_LINGER, limitBatches: options.limitBatches, metrics })(
    timeout({ outbox, name, metrics })(inTransaction),
  );
  const prepared = readStoredObject({ withStoredObject })(prepare({ consumer, metrics })(batched));
  const readable = readUnreadableAgain({ readAgain, logger })(prepared);
  const handle = deadLetter({ consumer, outbox, logger, metrics })(readable);
  const receive = retry({ logger, metrics })(handle);
  return async delivery => (consumer.handles(delivery.event) ? receive(delivery) : { kind: 'ack' });
}

/** Starts a consumer with its receiver; the returned function stops it after the deliveries in flight. */
export function consume(
  bus: Pick<Bus, 'subscribe'>,
  consumer: Consumer,
  receive: Receive,
): Promise<() => Promise<void>> {
  const { maxInFlight } = consumer.options;
  return bus.subscribe(consumer.name, consumer.filter, receive, maxInFlight === undefined ? {} : { maxInFlight });
}

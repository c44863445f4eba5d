import { unavailable } from '@billing/contracts/problem';
import { semaphore } from '../semaphore.ts';
import { withTimeout } from '../timed-transaction.ts';
import type { Consumer } from './consumer.ts';
import type { Delivery, Handle, HandleBatched } from './delivery.ts';
import type { ConsumerMetrics } from './metrics.ts';

/** Preparations of one consumer that run at the same time. */
const PARALLEL = 8;
/** How often what was found may be outdated by the time it is used, before the event waits for its redelivery. */
const MAX_PREPARATIONS = 3;
const TIMEOUT_MS = 25_000;

/**
 * Runs a handler's `prepare` for deliveries that `handle` returned as unprepared, and has them handled again with the
 * result. Other batches go on meanwhile.
 * @throws Problem `unavailable` when the result is outdated again and again; what `prepare` throws
 */
export function prepare({ consumer, metrics }: { consumer: Consumer; metrics: ConsumerMetrics }) {
  const limit = semaphore(PARALLEL);
  const prepareOne = (delivery: Delivery) => {
    const handler = consumer.handlerOf(delivery.event.type);
    if (!handler?.prepare)
      throw new Error(`${consumer.name} returned ${delivery.event.type} as unprepared but has no prepare for it.`);
    return withTimeout(handler.prepare(delivery), TIMEOUT_MS, `Preparing ${delivery.event.type}`);
  };

  return (next: HandleBatched): Handle =>
    async delivery => {
      let current = delivery;
      for (let prepared = 0; (await next(current)) === 'unprepared'; prepared += 1) {
        if (prepared === MAX_PREPARATIONS) throw unavailable('The record changes too fast; the event waits.');
        metrics.preparations.add(1, metrics.attributes);
        const unprepared = current;
        current = { ...current, context: await limit(async () => prepareOne(unprepared)) };
      }
    };
}

import type { Outbox } from '../outbox.ts';
import { TimeoutError, withTimeout, type TimeLimits } from '../timed-transaction.ts';
import type { HandleBatch, HandleInTransaction } from './delivery.ts';
import type { ConsumerMetrics } from './metrics.ts';

/** For a batch, in milliseconds: a part of it may be stuck, and the others should not wait long. */
const BATCH_LIMITS = { statement: 4_000, lock: 1_000, total: 10_000 };
/** For a single event, in milliseconds. */
const SINGLE_TIMEOUT_MS = 25_000;

/**
 * Runs a batch in one transaction and limits its time. It stands below batching: waiting for a batch is not the handler's
 * fault.
 * @throws TimeoutError
 */
export function timeout({ outbox, name, metrics }: { outbox: Outbox; name: string; metrics: ConsumerMetrics }) {
  return (next: HandleInTransaction): HandleBatch =>
    async deliveries => {
      const work = (limits?: TimeLimits) => outbox.transaction((tx, publish) => next(tx, deliveries, publish), limits);
      try {
        if (deliveries.length > 1) return await work({ ...BATCH_LIMITS, what: `A batch of ${name}` });
        return await withTimeout(work(), SINGLE_TIMEOUT_MS, `An event of ${name}`);
      } catch (err) {
        if (err instanceof TimeoutError) metrics.timeouts.add(1, metrics.attributes);
        throw err;
      }
    };
}

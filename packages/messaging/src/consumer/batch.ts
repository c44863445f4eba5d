import type { Linger } from '@billing/database/linger';
import { openBatcher } from '../batcher.ts';
import { semaphore } from '../semaphore.ts';
import { withBatchSpan } from '../spans.ts';
import type { Delivery, HandleBatch, HandleBatched } from './delivery.ts';
import type { ConsumerMetrics } from './metrics.ts';

/** Deliveries outside of batches that are handled at the same time. */
const PARALLEL_ALONE = 8;
/** Requests to the same process wait for a batch, and larger ones are hardly faster. */
const LIMITS = { maxItems: 256, maxWeight: 512 };
/** So many bytes weigh as much as an item: a batch has at most 4 MiB, or one event. */
const BYTES_OF_ITEM = 8_192;

interface BatchParts {
  readonly name: string;
  readonly linger: Linger;
  /** Limits the batches that run at the same time. */
  readonly limitBatches: ReturnType<typeof semaphore> | undefined;
  readonly metrics: ConsumerMetrics;
}

/**
 * Gathers deliveries that arrive while others are handled into one batch. A batch that fails is divided until the bad
 * delivery stands alone. A delivery that must not share a batch is handled by itself, beside the batches.
 */
export function batch({ name, linger, limitBatches, metrics }: BatchParts) {
  return (next: HandleBatch): HandleBatched => {
    const run = async (deliveries: readonly Delivery[]) => {
      metrics.batchSize.record(deliveries.length, metrics.attributes);
      const carriers = deliveries.map(({ trace }) => trace);
      const work = () => withBatchSpan(name, carriers, () => next(deliveries));
      const left = await (limitBatches ? limitBatches(work) : work());
      const unprepared = new Set(left.map(({ event }) => event.id));
      return deliveries.map(({ event }) => (unprepared.has(event.id) ? 'unprepared' : 'handled'));
    };
    const handleBatched = openBatcher(run, { weigh, linger, ...LIMITS });
    const limitAlone = semaphore(PARALLEL_ALONE);
    return async delivery => {
      if (!delivery.isAlone) return handleBatched(delivery);
      const [result] = await limitAlone(() => run([delivery]));
      return result ?? 'handled';
    };
  };
}

/** How much work an event is: by its items, or its bytes. */
export const weigh = (delivery: Delivery): number => Math.max(countItems(delivery), delivery.bytes / BYTES_OF_ITEM);

/** How many items an event carries: one that carries many has them in an array of objects; an array of ids adds little work. */
function countItems({ event }: Delivery): number {
  const lengths = Object.values(Object(event.data)).map(value =>
    Array.isArray(value) && typeof value[0] === 'object' ? value.length : 1,
  );
  return Math.max(1, ...lengths);
}

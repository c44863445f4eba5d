import { deleteFailures } from '../dead-letters.ts';
import { markProcessed, unmarkProcessed } from '../processed-events.ts';
import type { HandleInTransaction } from './delivery.ts';
import type { ConsumerMetrics } from './metrics.ts';

/**
 * Handles each event once: its mark and its effects commit together or not at all. Deliveries that turn out to be
 * unprepared lose their marks again.
 */
export function deduplicate({ name, metrics }: { name: string; metrics: ConsumerMetrics }) {
  return (next: HandleInTransaction): HandleInTransaction =>
    async (tx, deliveries, publish) => {
      const byId = new Map(deliveries.map(delivery => [delivery.event.id, delivery]));
      const marked = await markProcessed(tx, name, [...byId.keys()]);
      const fresh = [...byId.values()].filter(({ event }) => marked.has(event.id));
      const duplicates = deliveries.length - fresh.length;
      if (duplicates > 0) {
        metrics.duplicates.add(duplicates, metrics.attributes);
        // A delivery that was counted as a failure in advance turns out to have nothing left to do.
        await deleteFailures(
          tx,
          name,
          [...byId.keys()].filter(id => !marked.has(id)),
        );
      }
      if (fresh.length === 0) return [];
      const unprepared = await next(tx, fresh, publish);
      await unmarkProcessed(
        tx,
        name,
        unprepared.map(({ event }) => event.id),
      );
      return unprepared;
    };
}

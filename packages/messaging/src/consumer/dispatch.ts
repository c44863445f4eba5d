import type { Consumer, RegisteredHandler } from './consumer.ts';
import type { Delivery, HandleInTransaction } from './delivery.ts';
import type { ConsumerMetrics } from './metrics.ts';

/** Hands the deliveries of a batch to their handlers, each handler once; events of other types are ignored. */
export function dispatch({ consumer, metrics }: { consumer: Consumer; metrics: ConsumerMetrics }): HandleInTransaction {
  return async (tx, deliveries, publish) => {
    const byHandler = new Map<RegisteredHandler, Delivery[]>();
    for (const delivery of deliveries) {
      const handler = consumer.handlerOf(delivery.event.type);
      if (!handler) continue;
      const ofHandler = byHandler.get(handler);
      if (ofHandler) ofHandler.push(delivery);
      else byHandler.set(handler, [delivery]);
    }
    const unprepared: Delivery[] = [];
    for (const [handler, ofHandler] of byHandler) {
      const startedAt = performance.now();
      unprepared.push(...(await handler.handle(tx, ofHandler, publish)));
      metrics.handlerDuration.record((performance.now() - startedAt) / 1_000, metrics.attributes);
    }
    return unprepared;
  };
}

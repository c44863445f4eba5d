import { ProcessorEventCompleted } from '@billing/contracts/processor-events';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { completeEvents } from '#pipeline/complete.ts';
import type { EventPublisher } from '#pipeline/publish.ts';

/** Records how the owning services handled events. */
export const completionConsumer = (publisher: Pick<EventPublisher, 'completed'>): Consumer =>
  consumer('webhooks-completions', 'processor-event.completed.v1').on(
    ProcessorEventCompleted,
    async (tx, deliveries, publish) => {
      const completions = deliveries.flatMap(({ teamId, data }) => data.completions.map(it => ({ teamId, ...it })));
      publisher.completed(await completeEvents(tx, completions, publish));
    },
  );

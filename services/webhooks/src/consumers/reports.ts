import { PurgeReported } from '@billing/contracts/events/webhooks';
import { ProcessorEventCompleted } from '@billing/contracts/processor-events';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { recordReport } from '#operations/purge-account.ts';
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

/** Follows how far the services are with a purge. */
export const purgeReports = (): Consumer =>
  consumer('webhooks-purge-reports', 'processor-account.purge-reported.v1').on(
    PurgeReported,
    async (tx, deliveries, publish) => {
      for (const { teamId, data } of deliveries) await recordReport(tx, teamId, data, publish);
    },
  );

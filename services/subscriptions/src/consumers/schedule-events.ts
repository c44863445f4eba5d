import type { ProcessorEventData, ProcessorEventType } from '@billing/contracts/processor-events';
import { consumer, type Consumer, type EventHandler } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { missingOrThrow } from '@billing/processor/errors';
import { readObject } from '@billing/processor/event-object';
import { readSchedule } from '@billing/processor/snapshots/schedule';
import { sourceOf } from '@billing/service/event-causes';
import type { Reread } from '#domain/observation.ts';
import { isOurs } from '#domain/schedule.ts';
import { readSubscription } from '#operations/read-subscription.ts';
import { saveReads } from '#operations/save-reads.ts';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import type { Dependencies } from '../dependencies.ts';
import { scopeOf } from './scope-of.ts';

const TYPES: readonly ProcessorEventType[] = [
  'subscription_schedule.updated',
  'subscription_schedule.released',
  'subscription_schedule.canceled',
  'subscription_schedule.completed',
  'subscription_schedule.aborted',
];

/**
 * Keeps planned changes as the processor has them: what an event says of a schedule of ours has its place in the order of
 * the subscription's events only once that is read. Schedules of others change nothing here.
 */
export function scheduleEvents({ em, processors, now }: Pick<Dependencies, 'em' | 'processors' | 'now'>): Consumer {
  const read = readSubscription({ em, processors, now });
  const handler: EventHandler<ProcessorEventData, Reread | 'missing'> = {
    prepare: delivery => read(toObject(delivery)).catch(missingOrThrow),
    async handle(tx, deliveries, publish) {
      const rows = await subscriptionRows.find(tx, deliveries.map(toObject));
      const concerned = deliveries.filter(delivery => {
        const recorded = rows.get(scopedKey(toObject(delivery)));
        return recorded && (recorded.schedule?.change || isOurs(readObject(delivery.data, readSchedule)));
      });
      const reads = concerned.flatMap(delivery => {
        const { context: reread } = delivery;
        if (!reread || reread === 'missing') return [];
        return [{ scope: scopeOf(delivery), reread, source: sourceOf(delivery), becauseOfEvent: true, delivery }];
      });
      const { outdated } = await saveReads(tx, reads, { publish, now: now() });
      const unread = concerned.filter(({ context }) => context === undefined);
      return [...unread, ...outdated.map(({ delivery }) => delivery)];
    },
  };
  return consumer('subscriptions-schedules', 'processor.subscription_schedule.>').onProcessorEvent(TYPES, handler);
}

function toObject(delivery: Pick<Delivery<ProcessorEventData>, 'teamId' | 'data'>): ProjectObject {
  const { subscriptionId } = readObject(delivery.data, readSchedule);
  return { scope: scopeOf(delivery), id: subscriptionId ?? '' };
}

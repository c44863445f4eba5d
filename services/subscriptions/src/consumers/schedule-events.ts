import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { readObject } from '@billing/processor/event-object';
import { readSchedule } from '@billing/processor/snapshots/schedule';
import { isOurs } from '#domain/schedule.ts';
import type { Dependencies } from '../dependencies.ts';
import { rereadSubscriptions } from './reread-subscriptions.ts';

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
export const scheduleEvents = (dependencies: Pick<Dependencies, 'em' | 'processors' | 'now'>): Consumer =>
  consumer('subscriptions-schedules', 'processor.subscription_schedule.>').onProcessorEvent(
    TYPES,
    rereadSubscriptions(dependencies, {
      subscriptionIdOf: data => readObject(data, readSchedule).subscriptionId,
      isNeeded: ({ schedule }, { data }) => Boolean(schedule?.change) || isOurs(readObject(data, readSchedule)),
      isOnlySource: true,
    }),
  );

import type { EventType } from '@billing/contracts/event';
import {
  SubscriptionCanceled,
  subscriptionChange,
  SubscriptionCreated,
  SubscriptionUpdated,
} from '@billing/contracts/events/subscriptions';
import type { z } from 'zod';
import { countedSubscription } from '#domain/counted-subscription.ts';

const changedSubscription = countedSubscription.extend(
  subscriptionChange.pick({ id: true, projectId: true, version: true, shown: true }).shape,
);

/** An event of which only a part is decoded. */
const only = <Data extends z.ZodType>({ name }: EventType, data: Data): EventType<Data> => ({ name, data });

/** The events of subscriptions with the part of the state that is counted, and what became known with it. */
export const countedSubscriptionEvents = [SubscriptionCreated, SubscriptionUpdated, SubscriptionCanceled].map(type =>
  only(type, changedSubscription),
);

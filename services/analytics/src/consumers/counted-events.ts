import type { EventType } from '@billing/contracts/event';
import {
  SubscriptionCanceled,
  subscriptionChange,
  SubscriptionCreated,
  SubscriptionUpdated,
} from '@billing/contracts/events/subscriptions';
import { WebhookEventChanged, webhookEventState } from '@billing/contracts/events/webhooks';
import { z } from 'zod';
import { countedSubscription } from '#domain/counted-subscription.ts';

const changedSubscription = countedSubscription.extend(
  subscriptionChange.pick({ id: true, projectId: true, version: true, shown: true }).shape,
);

const countedWebhookEvents = z.object({
  webhookEvents: z.array(webhookEventState.pick({ id: true, projectId: true, status: true, version: true })),
});

/** An event of which only a part is decoded: these types of events are by far the most frequent. */
const only = <Data extends z.ZodType>({ name }: EventType, data: Data): EventType<Data> => ({ name, data });

/** The events of subscriptions with the part of the state that is counted, and what became known with it. */
export const countedSubscriptionEvents = [SubscriptionCreated, SubscriptionUpdated, SubscriptionCanceled].map(type =>
  only(type, changedSubscription),
);

/** `WebhookEventChanged` with the part of the states that is counted. */
export const CountedWebhookEventsChanged = only(WebhookEventChanged, countedWebhookEvents);

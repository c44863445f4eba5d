import type { EventType } from '@billing/contracts/event';
import {
  billedItem,
  SubscriptionCanceled,
  SubscriptionCreated,
  subscriptionWithHistory,
  SubscriptionUpdated,
} from '@billing/contracts/events/subscriptions';
import { WebhookEventChanged, webhookEventState } from '@billing/contracts/events/webhooks';
import { z } from 'zod';

const countedSubscription = subscriptionWithHistory
  .pick({
    id: true,
    projectId: true,
    customerId: true,
    status: true,
    pauseCollection: true,
    startedAt: true,
    endedAt: true,
    currentPeriodEnd: true,
    trialEnd: true,
    history: true,
    observedAt: true,
    version: true,
    createdAt: true,
  })
  .extend({ items: z.array(billedItem.omit({ processorPriceId: true, priceId: true })) });

const countedWebhookEvents = z.object({
  webhookEvents: z.array(webhookEventState.pick({ id: true, projectId: true, status: true, version: true })),
});

/** An event of which only a part is decoded: these types of events are by far the most frequent. */
const only = <Data extends z.ZodType>({ name }: EventType, data: Data): EventType<Data> => ({ name, data });

/** The events of subscriptions with the part of the state that is counted. */
export const countedSubscriptionEvents = [SubscriptionCreated, SubscriptionUpdated, SubscriptionCanceled].map(type =>
  only(type, countedSubscription),
);

/** `WebhookEventChanged` with the part of the states that is counted. */
export const CountedWebhookEventsChanged = only(WebhookEventChanged, countedWebhookEvents);

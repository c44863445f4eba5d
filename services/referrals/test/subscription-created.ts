import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import { SubscriptionId, type CustomerId, type ProjectScope } from '@billing/contracts/ids';
import type { Envelope } from '@billing/contracts/event';
import { newEvent } from '@billing/testing/events';

/** Returns `subscription.created` of a customer's first subscription. */
export function subscriptionCreated({ teamId, projectId }: ProjectScope, customerId: CustomerId): Envelope {
  const now = new Date();
  return newEvent(SubscriptionCreated, teamId, {
    id: SubscriptionId.create(),
    projectId,
    customerId,
    processorSubscriptionId: 'sub_1',
    processorCustomerId: 'cus_1',
    priceId: null,
    status: 'active',
    quantity: 1,
    cancelAtPeriodEnd: false,
    items: [],
    currentPeriodStart: now,
    currentPeriodEnd: now,
    trialEnd: null,
    startedAt: now,
    endedAt: null,
    version: 1,
    createdAt: now,
  });
}

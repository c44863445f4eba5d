import { SubscriptionCreated, type SubscriptionState } from '@billing/contracts/events/subscriptions';
import { SubscriptionId, type CustomerId, type ProjectScope } from '@billing/contracts/ids';
import type { Envelope } from '@billing/contracts/event';
import { newEvent } from '@billing/testing/events';

/** Returns `subscription.created` of a customer's subscription, which starts now unless given. */
export function subscriptionCreated(
  { teamId, projectId }: ProjectScope,
  customerId: CustomerId,
  changes: Partial<Pick<SubscriptionState, 'startedAt' | 'status' | 'endedAt'>> = {},
): Envelope {
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
    cancelAt: null,
    canceledAt: null,
    pauseCollection: null,
    items: [],
    currentPeriodStart: now,
    currentPeriodEnd: now,
    trialEnd: null,
    startedAt: now,
    endedAt: null,
    shown: [],
    observedAt: now,
    version: 1,
    createdAt: now,
    ...changes,
  });
}

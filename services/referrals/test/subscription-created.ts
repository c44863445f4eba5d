import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
  type SubscriptionState,
} from '@billing/contracts/events/subscriptions';
import { SubscriptionId, type CustomerId, type ProjectScope } from '@billing/contracts/ids';
import type { Envelope } from '@billing/contracts/event';
import { newEvent } from '@billing/testing/events';

type Changes = Partial<Pick<SubscriptionState, 'id' | 'startedAt' | 'status' | 'endedAt' | 'version'>>;

const TYPES = { created: SubscriptionCreated, updated: SubscriptionUpdated, canceled: SubscriptionCanceled };

/** Returns an event of a customer's subscription, which is active and starts now unless given. */
export function subscriptionEvent(
  type: keyof typeof TYPES,
  { teamId, projectId }: ProjectScope,
  customerId: CustomerId,
  changes: Changes = {},
): Envelope {
  const now = new Date();
  return newEvent(TYPES[type], teamId, {
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
    cancellation: null,
    involuntary: false,
    pauseCollection: null,
    discounts: [],
    scheduledChange: null,
    pendingChange: null,
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

/** Returns `subscription.created` of a customer's subscription. */
export const subscriptionCreated = (scope: ProjectScope, customerId: CustomerId, changes: Changes = {}): Envelope =>
  subscriptionEvent('created', scope, customerId, changes);

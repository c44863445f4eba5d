import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
  type SubscriptionState,
} from '@billing/contracts/events/subscriptions';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { Envelope } from '@billing/contracts/event';
import { newEvent } from '@billing/testing/events';
import { subscriptionChange } from '@billing/testing/subscriptions';

type Changes = Partial<Pick<SubscriptionState, 'id' | 'startedAt' | 'status' | 'endedAt' | 'version'>>;

const TYPES = { created: SubscriptionCreated, updated: SubscriptionUpdated, canceled: SubscriptionCanceled };

/** Returns an event of a customer's subscription, which is active and starts now unless given. */
export function subscriptionEvent(
  type: keyof typeof TYPES,
  { teamId, projectId }: ProjectScope,
  customerId: CustomerId,
  changes: Changes = {},
): Envelope {
  const state = subscriptionChange(projectId, new Date(), { customerId, items: [], ...changes });
  return newEvent(TYPES[type], teamId, state);
}

/** Returns `subscription.created` of a customer's subscription. */
export const subscriptionCreated = (scope: ProjectScope, customerId: CustomerId, changes: Changes = {}): Envelope =>
  subscriptionEvent('created', scope, customerId, changes);

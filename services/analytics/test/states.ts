import type { CustomerState } from '@billing/contracts/events/customers';
import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import { CustomerId, SubscriptionId, type ProjectScope } from '@billing/contracts/ids';

const SINCE = new Date('2026-11-20T12:00:00.000Z');

/** An item of 29.99 USD a month. */
export const item = {
  processorPriceId: 'price_1',
  priceId: null,
  unitAmount: 2_999,
  currency: 'usd',
  interval: 'month' as const,
  intervalCount: 1,
  quantity: 1,
  metered: false,
};

/** A new subscription of the project, active since noon of 20 November 2026. */
export function subscription({ projectId }: ProjectScope): SubscriptionState {
  return {
    id: SubscriptionId.create(),
    projectId,
    customerId: CustomerId.create(),
    processorSubscriptionId: 'sub_1',
    processorCustomerId: 'cus_1',
    priceId: null,
    status: 'active',
    quantity: 1,
    cancelAtPeriodEnd: false,
    items: [item],
    currentPeriodStart: SINCE,
    currentPeriodEnd: SINCE,
    trialEnd: null,
    startedAt: SINCE,
    endedAt: null,
    version: 1,
    createdAt: SINCE,
  };
}

/** A new customer of the project, created at the same time. */
export function customer({ projectId }: ProjectScope): CustomerState {
  return {
    id: CustomerId.create(),
    projectId,
    email: 'ada@example.com',
    name: null,
    processorCustomerId: 'cus_1',
    version: 1,
    createdAt: SINCE,
    deletedAt: null,
  };
}

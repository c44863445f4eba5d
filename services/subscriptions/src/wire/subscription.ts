import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { Subscription as SubscriptionResource } from '@billing/contracts/resources/subscription';
import type { Subscription } from '#persistence/subscription.entity.ts';

/** A subscription as callers see it. */
export function toResource(row: Subscription): SubscriptionResource {
  return {
    id: row.id,
    customerId: row.customerId,
    processorSubscriptionId: row.processorSubscriptionId,
    status: row.status,
    ...(row.priceId && { priceId: row.priceId }),
    quantity: row.quantity,
    cancelAtPeriodEnd: row.cancelAtPeriodEnd,
    currentPeriodStart: row.currentPeriodStart,
    currentPeriodEnd: row.currentPeriodEnd,
    metadata: row.metadata,
    projectId: row.projectId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** A subscription as the bus and other services see it. */
export function toState(row: Subscription): SubscriptionState {
  return {
    id: row.id,
    projectId: row.projectId,
    customerId: row.customerId,
    processorSubscriptionId: row.processorSubscriptionId,
    processorCustomerId: row.processorCustomerId,
    priceId: row.priceId ?? null,
    status: row.status,
    quantity: row.quantity,
    cancelAtPeriodEnd: row.cancelAtPeriodEnd,
    items: row.items,
    currentPeriodStart: row.currentPeriodStart,
    currentPeriodEnd: row.currentPeriodEnd,
    trialEnd: row.trialEnd ?? null,
    startedAt: row.startedAt,
    endedAt: row.endedAt ?? null,
    version: row.version,
    createdAt: row.createdAt,
  };
}

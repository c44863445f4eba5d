import { z } from 'zod';
import { defineEvent } from '../event.ts';
import { CustomerId, PriceId, ProjectId, SubscriptionId } from '../ids.ts';
import { INTERVALS } from '../resources/price.ts';
import { SUBSCRIPTION_STATUSES } from '../resources/subscription.ts';
import { timestamp } from '../timestamp.ts';

/** One billed item of a subscription. It copies the price's fields, so deleting the price does not change it. */
export const billedItem = z.object({
  processorPriceId: z.string(),
  priceId: PriceId.schema.nullable(),
  /** In the currency's smallest unit; null for tiered and fractional prices. */
  unitAmount: z.int().nullable(),
  currency: z.string(),
  /** Null for a one-time price. */
  interval: z.enum(INTERVALS).nullable(),
  intervalCount: z.int().nullable(),
  quantity: z.int(),
  /** A metered item has no fixed amount. */
  metered: z.boolean(),
});
export type BilledItem = z.output<typeof billedItem>;

/** A subscription's whole state. A consumer ignores it unless `version` is higher than the one it has. */
export const subscriptionState = z.object({
  id: SubscriptionId.schema,
  projectId: ProjectId.schema,
  customerId: CustomerId.schema,
  processorSubscriptionId: z.string(),
  processorCustomerId: z.string(),
  priceId: PriceId.schema.nullable(),
  status: z.enum(SUBSCRIPTION_STATUSES),
  quantity: z.int(),
  cancelAtPeriodEnd: z.boolean(),
  items: z.array(billedItem),
  currentPeriodStart: timestamp,
  currentPeriodEnd: timestamp,
  trialEnd: timestamp.nullable(),
  /** When it started at the processor. */
  startedAt: timestamp,
  /** When it ended, not when the cancellation was requested. */
  endedAt: timestamp.nullable(),
  version: z.int(),
  createdAt: timestamp,
});
export type SubscriptionState = z.output<typeof subscriptionState>;

export const SubscriptionCreated = defineEvent('subscription.created.v1', subscriptionState);
export const SubscriptionUpdated = defineEvent('subscription.updated.v1', subscriptionState);
export const SubscriptionCanceled = defineEvent('subscription.canceled.v1', subscriptionState);

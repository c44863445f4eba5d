import { z } from 'zod';
import { CustomerId, PriceId, ProjectId, SubscriptionId } from '../ids.ts';
import { storedMetadata } from '../metadata.ts';
import { timestamp } from '../timestamp.ts';
import { INTERVALS, shownAmount } from './price.ts';

export const SUBSCRIPTION_STATUSES = [
  'active',
  'trialing',
  'past_due',
  'canceled',
  'unpaid',
  'incomplete',
  'incomplete_expired',
  'paused',
] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** Statuses that never change again. */
export const ENDED_STATUSES = ['canceled', 'incomplete_expired'] as const satisfies readonly SubscriptionStatus[];

/** Returns whether a subscription in this status has ended for good. */
export const hasEnded = (status: SubscriptionStatus): boolean => ENDED_STATUSES.some(ended => ended === status);

/** What is billed together: a price and how many of it, as the processor has it. */
export const subscriptionItem = z.object({
  /** Null when the price was created outside of this service and has no copy here. */
  priceId: PriceId.schema.nullable(),
  processorPriceId: z.string(),
  quantity: z.int(),
  ...shownAmount.shape,
  /** The subscription's. */
  currency: z.string(),
  interval: z.enum(INTERVALS).nullable(),
  intervalCount: z.int().nullable(),
});
export type SubscriptionItem = z.output<typeof subscriptionItem>;

/** A pause of payments: the status stays what it is. https://docs.stripe.com/billing/subscriptions/pause-payment */
export const pauseCollection = z.object({
  /** What happens to invoices meanwhile: `keep_as_draft`, `mark_uncollectible` or `void`. */
  behavior: z.string(),
  /** Null until someone resumes it. */
  resumesAt: timestamp.nullable(),
});

export const subscription = z.object({
  id: SubscriptionId.schema,
  customerId: CustomerId.schema,
  processorSubscriptionId: z.string(),
  status: z.enum(SUBSCRIPTION_STATUSES),
  /** Absent when the price was created outside of this service and has no copy here. */
  priceId: PriceId.schema.optional(),
  /** Of the first item, as `priceId`. */
  quantity: z.int(),
  items: z.array(subscriptionItem),
  cancelAtPeriodEnd: z.boolean(),
  /** When it ends by itself. */
  cancelAt: timestamp.nullable(),
  /** When the cancellation was requested. */
  canceledAt: timestamp.nullable(),
  startedAt: timestamp,
  trialEnd: timestamp.nullable(),
  /** When it ended. */
  endedAt: timestamp.nullable(),
  pauseCollection: pauseCollection.nullable(),
  currentPeriodStart: timestamp,
  currentPeriodEnd: timestamp,
  metadata: storedMetadata,
  projectId: ProjectId.schema,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Subscription = z.output<typeof subscription>;

export const subscriptionUpdate = z.strictObject({ cancelAtPeriodEnd: z.boolean() });

import { z } from 'zod';
import { CustomerId, PriceId, ProjectId, SubscriptionId } from '../ids.ts';
import { storedMetadata } from '../metadata.ts';
import { timestamp } from '../timestamp.ts';

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

export const subscription = z.object({
  id: SubscriptionId.schema,
  customerId: CustomerId.schema,
  processorSubscriptionId: z.string(),
  status: z.enum(SUBSCRIPTION_STATUSES),
  /** Absent when the price was created outside of this service and has no copy here. */
  priceId: PriceId.schema.optional(),
  quantity: z.int(),
  cancelAtPeriodEnd: z.boolean(),
  currentPeriodStart: timestamp,
  currentPeriodEnd: timestamp,
  metadata: storedMetadata,
  projectId: ProjectId.schema,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Subscription = z.output<typeof subscription>;

export const subscriptionUpdate = z.strictObject({ cancelAtPeriodEnd: z.boolean() });

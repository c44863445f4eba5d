import { z } from 'zod';
import { defineEvent } from '../event.ts';
import { CustomerId, PriceId, ProjectId, SubscriptionId } from '../ids.ts';
import { invoice } from '../resources/invoice.ts';
import { INTERVALS } from '../resources/price.ts';
import { SUBSCRIPTION_STATUSES } from '../resources/subscription.ts';
import { timestamp } from '../timestamp.ts';

/** What one item of a subscription bills, kept with the subscription so that a deleted price changes nothing. */
export const billedItem = z.object({
  processorPriceId: z.string(),
  priceId: PriceId.schema.nullable(),
  /** Smallest unit; null where the processor has no single amount. */
  unitAmount: z.int().nullable(),
  currency: z.string(),
  /** Null for a price that does not recur. */
  interval: z.enum(INTERVALS).nullable(),
  intervalCount: z.int().nullable(),
  quantity: z.int(),
  /** Metered items have no face value. */
  metered: z.boolean(),
});
export type BilledItem = z.output<typeof billedItem>;

/** A subscription's whole state; a reader keeps it if `version` is higher than the one it has. */
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
  /** When it began at the processor. */
  startedAt: timestamp,
  /** When it ended, as opposed to when its end was asked for. */
  endedAt: timestamp.nullable(),
  version: z.int(),
  createdAt: timestamp,
});
export type SubscriptionState = z.output<typeof subscriptionState>;

export const SubscriptionCreated = defineEvent('subscription.created.v1', subscriptionState);
export const SubscriptionUpdated = defineEvent('subscription.updated.v1', subscriptionState);
export const SubscriptionCanceled = defineEvent('subscription.canceled.v1', subscriptionState);

export const InvoiceUpdated = defineEvent('invoice.updated.v1', invoice.extend({ version: z.int() }));

export const PaymentRecorded = defineEvent(
  'payment.recorded.v1',
  z.object({
    projectId: ProjectId.schema,
    customerId: CustomerId.schema.nullable(),
    /** The processor's id of the payment intent or charge. */
    processorId: z.string(),
    kind: z.enum(['payment_intent', 'charge']),
    status: z.enum(['succeeded', 'failed']),
    amount: z.int(),
    currency: z.string(),
    failureCode: z.string().nullable(),
  }),
);

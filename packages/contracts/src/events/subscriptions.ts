import { z } from 'zod';
import { fieldsOf } from '../fields-of.ts';
import { CustomerId, PriceId, ProjectId, SubscriptionId } from '../ids.ts';
import { storedMetadata } from '../metadata.ts';
import { cancellation } from '../resources/cancellation.ts';
import { COUPON_DURATIONS, DISCOUNT_LEVELS, discount } from '../resources/discount.ts';
import { pendingChange, scheduledChange } from '../resources/plan-change.ts';
import { BILLING_SCHEMES, INTERVALS, showAmount } from '../resources/price.ts';
import {
  pauseCollection,
  subscriptionTax,
  UNTAXED,
  refusedPaymentMethod,
  subscription,
  SUBSCRIPTION_STATUSES,
  type Subscription,
  type SubscriptionItem,
} from '../resources/subscription.ts';
import { timestamp } from '../timestamp.ts';
import { version } from '../version.ts';
import { defineRecordEvent } from './record-event.ts';

/** One billed item of a subscription. It copies the price's fields, so deleting the price does not change it. */
export const billedItem = z.object({
  processorPriceId: z.string(),
  processorProductId: z.string(),
  priceId: PriceId.schema.nullable(),
  /** In the currency's smallest unit; null for tiered and fractional prices. */
  unitAmount: z.int().nullable(),
  /** The same as decimal text, which may have fractions of the smallest unit; null for a tiered price. */
  unitAmountDecimal: z.string().nullable(),
  billingScheme: z.enum(BILLING_SCHEMES),
  /** The subscription's. */
  currency: z.string(),
  /** Null for a one-time price. */
  interval: z.enum(INTERVALS).nullable(),
  intervalCount: z.int().nullable(),
  quantity: z.int(),
  /** How the quantity becomes billed units: divided and rounded to whole ones; null when each is billed. */
  transformQuantity: z.object({ divideBy: z.int(), round: z.enum(['up', 'down']) }).nullable(),
  /** A metered item has no fixed amount. */
  metered: z.boolean(),
});
export type BilledItem = z.output<typeof billedItem>;

/** A discount that a subscription is billed with, and all that it takes to know what it takes off. */
export const billedDiscount = discount.omit({ processorPriceId: true }).extend({
  // Records and events that were written before there were levels have discounts of subscriptions only.
  level: z.enum(DISCOUNT_LEVELS).default('subscription'),
  /** The place in `items` of the only item that it counts for; null for all. */
  itemIndex: z.int().nullable().default(null),
  processorDiscountId: z.string(),
  processorCouponId: z.string().nullable(),
  processorPromotionCodeId: z.string().nullable(),
  /** Null when only the id of the coupon is known. */
  duration: z.enum(COUPON_DURATIONS).nullable(),
  /** The only products that it takes something off; null for all. */
  processorProductIds: z.array(z.string()).nullable(),
});
export type BilledDiscount = z.output<typeof billedDiscount>;

/** The part of an item that decides what it bills. */
export const pricedItem = billedItem.omit({ processorPriceId: true, processorProductId: true, priceId: true });

/** A subscription as the processor has it. */
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
  /** When it ends by itself; null if it does not. */
  cancelAt: timestamp.nullable(),
  /** When the cancellation was requested. */
  canceledAt: timestamp.nullable(),
  /** What the customer said who canceled. */
  cancellation: cancellation.nullable(),
  /** Whether it ended though nobody requested that: a payment failed or was disputed. */
  involuntary: z.boolean(),
  pauseCollection: pauseCollection.nullable(),
  // Events that were published before it was known do not have it.
  tax: subscriptionTax.default(UNTAXED),
  items: z.array(billedItem),
  currentPeriodStart: timestamp,
  currentPeriodEnd: timestamp,
  discounts: z.array(billedDiscount),
  scheduledChange: scheduledChange.nullable(),
  pendingChange: pendingChange.nullable(),
  /** Absent when it has refused none. */
  refusedPaymentMethod: refusedPaymentMethod.optional(),
  trialEnd: timestamp.nullable(),
  /** When it started at the processor. */
  startedAt: timestamp,
  /** When it ended, not when the cancellation was requested. */
  endedAt: timestamp.nullable(),
  metadata: storedMetadata,
  /** The processor's id of the test clock that it lives on; null in real time. No event for tenants. */
  testClockId: z.string().nullable().default(null),
  version,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type SubscriptionState = z.output<typeof subscriptionState>;

/** The part of a state that its GET shows. */
type ShownSubscription = Omit<SubscriptionState, 'processorCustomerId' | 'involuntary' | 'testClockId' | 'version'>;

/** Returns a subscription as its GET does. */
export const subscriptionOf = ({
  priceId,
  items,
  discounts,
  refusedPaymentMethod: refused,
  pauseCollection: pause,
  ...state
}: ShownSubscription): Subscription =>
  fieldsOf(subscription, {
    ...state,
    paused: pause && { invoices: pause.behavior, resumesAt: pause.resumesAt },
    refusedPaymentMethod: refused ?? null,
    ...(priceId && { priceId }),
    items: items.map(itemOf),
    discounts: discounts.map(it => {
      const item = it.itemIndex === null ? undefined : items[it.itemIndex];
      return fieldsOf(discount, it, { processorPriceId: item?.processorPriceId ?? null });
    }),
  });

function itemOf(item: BilledItem): SubscriptionItem {
  const { priceId, processorPriceId, quantity, currency, interval, intervalCount } = item;
  return { priceId, processorPriceId, quantity, ...showAmount(item), currency, interval, intervalCount };
}

/** How a state was shown: in order, what counts in one second if states differ. A reading has no place among the events. */
export const SHOWN_BY = { created: 0, updated: 1, reading: 2 } as const;
export type ShownBy = (typeof SHOWN_BY)[keyof typeof SHOWN_BY];

/** What revenue needs of a state of a subscription that has not ended, and when the processor showed it. */
export const shownState = z.object({
  status: z.enum(SUBSCRIPTION_STATUSES),
  /** Whether it has a trial, or had one. */
  hasTrial: z.boolean(),
  items: z.array(pricedItem),
  /** The time of the event, in whole seconds, or of the reading. */
  at: timestamp,
  by: z.union([z.literal(SHOWN_BY.created), z.literal(SHOWN_BY.updated), z.literal(SHOWN_BY.reading)]),
});
export type ShownState = z.output<typeof shownState>;

/**
 * A subscription's whole state, and the states that became known with this change. A consumer ignores the former unless
 * `version` is higher than the one it has. Each shown state is published once, also one that is older than what is known: a
 * consumer that follows the past adds it to those that it has, whatever the version.
 */
export const subscriptionChange = subscriptionState.extend({
  shown: z.array(shownState),
  /** When the newest event or reading happened that the state includes. */
  observedAt: timestamp,
});
export type SubscriptionChange = z.output<typeof subscriptionChange>;

/** A subscription that a sync found, which may be older than our knowledge of it: it converts no referral. */
const createdState = subscriptionChange.extend({ fromSync: z.literal(true).optional() });

export const SubscriptionCreated = defineRecordEvent('subscription.created', createdState);
export const SubscriptionUpdated = defineRecordEvent('subscription.updated', subscriptionChange);
export const SubscriptionCanceled = defineRecordEvent('subscription.canceled', subscriptionChange);

import type { Stripe } from 'stripe';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import type { Cadence } from '../domain/periods.ts';
import type { Period } from '../domain/prorate.ts';
import { cadenceOf, planOf } from './price.ts';
import type { Price, Subscription, SubscriptionItem } from './stored.ts';

interface NewSubscription {
  id: string;
  customer: string;
  currency: string;
  description: string | null;
  metadata: Stripe.Metadata;
  paymentMethod: string | null;
  /** A metered price has no quantity. */
  items: { price: Price; quantity: number | null; metadata?: Stripe.Metadata }[];
  period: Period;
  startDate: number;
  /** The end of the free trial; null without one. */
  trialEnd: number | null;
  /** For `send_invoice`: the days that the customer has to pay; null charges automatically. */
  daysUntilDue: number | null;
  automaticTax: boolean;
  latestInvoice: string;
  testClock: string | null;
}

/** Returns a subscription that is active or trialing. */
export function newSubscription(unit: UnitOfWork, given: NewSubscription): Subscription {
  const { id, trialEnd, period } = given;
  return {
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: {
      disabled_reason: null,
      enabled: given.automaticTax,
      liability: given.automaticTax ? { type: 'self' } : null,
    },
    billing_cycle_anchor: trialEnd ?? period.start,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: given.daysUntilDue === null ? 'charge_automatically' : 'send_invoice',
    created: unit.now,
    currency: given.currency,
    customer: given.customer,
    customer_account: null,
    days_until_due: given.daysUntilDue,
    default_payment_method: given.paymentMethod,
    default_source: null,
    default_tax_rates: [],
    description: given.description,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: {
      object: 'list',
      data: given.items.map(item => newItem(unit, id, item, period)),
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    latest_invoice: given.latestInvoice,
    livemode: unit.livemode,
    managed_payments: null,
    metadata: given.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: given.startDate,
    status: trialEnd === null ? 'active' : 'trialing',
    test_clock: given.testClock,
    transfer_data: null,
    trial_end: trialEnd,
    trial_settings: { end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' } },
    trial_start: trialEnd === null ? null : period.start,
  };
}

/** Returns an item that bills a recurring price. */
export function newItem(
  unit: UnitOfWork,
  subscription: string,
  { price, quantity, metadata = {} }: NewSubscription['items'][number],
  period: Period,
): SubscriptionItem {
  return {
    id: newId('si_', 14),
    object: 'subscription_item',
    billing_thresholds: null,
    created: unit.now,
    current_period_end: period.end,
    current_period_start: period.start,
    current_trial: null,
    discounts: [],
    metadata,
    plan: planOf(price, recurringCadence(price)),
    price,
    ...(quantity === null ? {} : { quantity }),
    subscription,
    tax_rates: [],
  };
}

/** Returns an item with another price or quantity; a metered price has no quantity. */
export function changedItem(item: SubscriptionItem, price: Price, quantity: number | null): SubscriptionItem {
  const { quantity: _before, ...rest } = item;
  const plan = planOf(price, recurringCadence(price));
  return { ...rest, ...(quantity === null ? {} : { quantity }), price, plan };
}

/** Returns the current period of a subscription; with several items, the shortest one. */
export function currentPeriod(subscription: Subscription): Period {
  const items = subscription.items.data;
  return {
    start: Math.min(...items.map(item => item.current_period_start)),
    end: Math.min(...items.map(item => item.current_period_end)),
  };
}

/** Returns the subscription's items with another period. */
export function itemsIn(subscription: Subscription, period: Period): Subscription['items'] {
  const moved = subscription.items.data.map(item => ({
    ...item,
    current_period_start: period.start,
    current_period_end: period.end,
  }));
  return { ...subscription.items, data: moved };
}

/** Returns how often the subscription is billed. */
export function subscriptionCadence(subscription: Subscription): Cadence {
  const [item] = subscription.items.data;
  return item ? recurringCadence(item.price) : MONTHLY;
}

/** Returns whether two states of a subscription are billed as often. */
export function hasSameCadence(one: Subscription, other: Subscription): boolean {
  const [was, is] = [subscriptionCadence(one), subscriptionCadence(other)];
  return was.interval === is.interval && was.count === is.count;
}

const MONTHLY: Cadence = { interval: 'month', count: 1 };

function recurringCadence(price: Price): Cadence {
  // Items only have recurring prices: Checkout and item updates reject others.
  return cadenceOf(price) ?? MONTHLY;
}

/** Returns whether the subscription is in a final status. */
export function hasEnded({ status }: Pick<Subscription, 'status'>): boolean {
  return status === 'canceled' || status === 'incomplete_expired';
}

import type { Stripe } from 'stripe';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import type { Cadence } from '../domain/periods.ts';
import type { Period } from '../domain/prorate.ts';
import { cadenceOf, planOf } from './price.ts';
import { nulls } from './nulls.ts';
import type { Discount, Price, Subscription, SubscriptionItem } from './stored.ts';

/** A price that an item bills; a metered one has no quantity. */
export interface Billed {
  price: Price;
  quantity: number | null;
  metadata?: Stripe.Metadata;
  /** Of the item alone; they are not stored, and do not name it yet. */
  discounts?: readonly Discount[];
}

/** What becomes of a subscription whose trial ends without a payment method. */
export type TrialEnd = 'cancel' | 'create_invoice' | 'pause';

type NewSubscription = Pick<
  Subscription,
  | 'id'
  | 'currency'
  | 'customer'
  | 'days_until_due'
  | 'default_payment_method'
  | 'description'
  | 'latest_invoice'
  | 'metadata'
  | 'test_clock'
  | 'trial_end'
> & { items: readonly Billed[]; period: Period; automaticTax: boolean; trialEndsWithoutMethod?: TrialEnd | undefined };

/** Returns a subscription that is active or trialing. */
export function newSubscription(unit: UnitOfWork, given: NewSubscription): Subscription {
  const { period, automaticTax, items, trialEndsWithoutMethod, ...fields } = given;
  const { id, days_until_due: days, trial_end: trialEnd } = fields;
  return {
    ...fields,
    object: 'subscription',
    ...nulls('application application_fee_percent billing_cycle_anchor_config billing_thresholds cancel_at'),
    ...nulls('canceled_at customer_account default_source ended_at managed_payments'),
    ...nulls('next_pending_invoice_item_invoice on_behalf_of pause_collection pending_invoice_item_interval'),
    ...nulls('pending_setup_intent pending_update schedule transfer_data'),
    automatic_tax: subscriptionTaxOf(automaticTax),
    billing_cycle_anchor: trialEnd ?? period.start,
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    billing_schedules: [],
    cancel_at_period_end: false,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: days === null ? 'charge_automatically' : 'send_invoice',
    created: unit.now,
    default_tax_rates: [],
    discounts: [],
    invoice_settings: {
      ...nulls('account_tax_ids custom_fields description footer'),
      issuer: { type: 'self' },
    },
    items: {
      object: 'list',
      data: items.map(item => newItem(unit, id, item, period)),
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    livemode: unit.livemode,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    start_date: unit.now,
    status: trialEnd === null ? 'active' : 'trialing',
    trial_settings: {
      end_behavior: {
        billing_cycle_anchor: null,
        missing_payment_method: trialEndsWithoutMethod ?? 'create_invoice',
      },
    },
    trial_start: trialEnd === null ? null : period.start,
  };
}

/** Returns whether Stripe computes the tax of a subscription or a phase, and why it stopped. */
export const subscriptionTaxOf = (
  enabled: boolean,
  disabledReason: 'requires_location_inputs' | null = null,
): Subscription['automatic_tax'] => ({
  disabled_reason: disabledReason,
  enabled,
  liability: enabled ? { type: 'self' } : null,
});

/** Returns an item that bills a recurring price. */
export function newItem(
  unit: UnitOfWork,
  subscription: string,
  { price, quantity, metadata = {}, discounts = [] }: Billed,
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
    discounts: discounts.map(({ id }) => id),
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

/** Returns a subscription as it is now, after others may have changed it. */
export const asItIs = (unit: UnitOfWork, subscription: Subscription): Subscription =>
  unit.tables.subscription.get(subscription.id) ?? subscription;

/** Returns whether the subscription is in a final status. */
export function hasEnded({ status }: Pick<Subscription, 'status'>): boolean {
  return status === 'canceled' || status === 'incomplete_expired';
}

import type { Stripe } from 'stripe';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import type { Phase, Subscription, SubscriptionSchedule } from './stored.ts';
import { currentPeriod } from './subscription.ts';

/** Returns a schedule whose only phase is the subscription's current period, as `from_subscription` makes it. */
export function newSchedule(
  unit: UnitOfWork,
  subscription: Subscription,
  metadata: Stripe.Metadata,
): SubscriptionSchedule {
  const { start, end } = currentPeriod(subscription);
  const phase = { start_date: start, end_date: subscription.cancel_at ?? end };
  return {
    id: newId('sub_sched_1'),
    object: 'subscription_schedule',
    application: null,
    billing_mode: subscription.billing_mode,
    canceled_at: null,
    completed_at: null,
    created: unit.now,
    current_phase: phase,
    customer: subscription.customer,
    customer_account: null,
    default_settings: {
      application_fee_percent: null,
      billing_cycle_anchor: 'automatic',
      billing_thresholds: null,
      collection_method: subscription.collection_method,
      default_payment_method: subscription.default_payment_method,
      description: subscription.description,
      invoice_settings: {
        account_tax_ids: null,
        custom_fields: null,
        days_until_due: subscription.days_until_due,
        description: null,
        footer: null,
        issuer: { type: 'self' },
      },
      on_behalf_of: null,
      transfer_data: null,
    },
    end_behavior: subscription.cancel_at === null ? 'release' : 'cancel',
    livemode: unit.livemode,
    metadata,
    pause_schedules: [],
    phases: [
      newPhase(subscription.currency, {
        ...phase,
        ...billedBy(subscription),
        metadata: subscription.metadata,
        trial_end: subscription.trial_end,
      }),
    ],
    released_at: null,
    released_subscription: null,
    status: 'active',
    subscription: subscription.id,
    test_clock: subscription.test_clock,
  };
}

/** Returns a phase with default values for what is not given. */
export function newPhase(
  currency: string,
  given: Partial<Phase> & Pick<Phase, 'end_date' | 'items' | 'start_date'>,
): Phase {
  return {
    add_invoice_items: [],
    application_fee_percent: null,
    billing_cycle_anchor: null,
    billing_thresholds: null,
    collection_method: null,
    currency,
    default_payment_method: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    invoice_settings: null,
    metadata: {},
    on_behalf_of: null,
    proration_behavior: 'create_prorations',
    transfer_data: null,
    trial_end: null,
    ...given,
  };
}

/** Returns the items and discounts of a subscription as a phase has them. */
export function billedBy({ items, discounts }: Subscription): Pick<Phase, 'discounts' | 'items'> {
  return {
    items: items.data.map(({ price, quantity, metadata }) => newPhaseItem(price.id, quantity, metadata)),
    discounts: discounts.map(discount => ({ coupon: null, discount, promotion_code: null })),
  };
}

/** Returns an item of a phase; a metered price has no quantity. */
export function newPhaseItem(
  price: string,
  quantity: number | undefined,
  metadata: Stripe.Metadata,
): Phase['items'][number] {
  return {
    billing_thresholds: null,
    discounts: [],
    metadata,
    plan: price,
    price,
    ...(quantity === undefined ? {} : { quantity }),
    tax_rates: [],
  };
}

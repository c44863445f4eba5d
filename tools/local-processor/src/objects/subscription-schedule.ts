import type { Stripe } from 'stripe';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import type { Phase, PhaseDiscount, Subscription, SubscriptionSchedule } from './stored.ts';
import { nulls } from './nulls.ts';
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
    ...nulls('application canceled_at completed_at customer_account released_at released_subscription'),
    billing_mode: subscription.billing_mode,
    created: unit.now,
    current_phase: phase,
    customer: subscription.customer,
    default_settings: {
      ...nulls('application_fee_percent billing_thresholds on_behalf_of transfer_data'),
      billing_cycle_anchor: 'automatic',
      collection_method: subscription.collection_method,
      default_payment_method: subscription.default_payment_method,
      description: subscription.description,
      invoice_settings: {
        ...nulls('account_tax_ids custom_fields description footer'),
        days_until_due: subscription.days_until_due,
        issuer: { type: 'self' },
      },
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
    ...nulls('application_fee_percent billing_cycle_anchor billing_thresholds collection_method'),
    ...nulls('default_payment_method description invoice_settings on_behalf_of transfer_data trial_end'),
    currency,
    default_tax_rates: [],
    discounts: [],
    metadata: {},
    proration_behavior: 'create_prorations',
    ...given,
  };
}

/** Returns the items and discounts of a subscription as a phase has them. */
export function billedBy({ items, discounts }: Subscription): Pick<Phase, 'discounts' | 'items'> {
  return {
    items: items.data.map(item => ({
      ...newPhaseItem(item.price.id, item.quantity, item.metadata),
      discounts: item.discounts.map(existingDiscount),
    })),
    discounts: discounts.map(existingDiscount),
  };
}

const existingDiscount = (discount: string): PhaseDiscount => ({ coupon: null, discount, promotion_code: null });

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

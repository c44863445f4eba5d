import { randomBytes } from 'node:crypto';
import type { SentEvent } from './sent-requests.ts';

/** The fields of a subscription that tests vary; the rest of the Stripe object follows from them. */
export interface SubscriptionState {
  readonly id: string;
  /** The Stripe id of the customer. */
  readonly customer: string;
  readonly projectId: string;
  readonly status: 'active' | 'trialing' | 'past_due' | 'canceled';
  readonly quantity: number;
  /** Unix seconds. */
  readonly startedAt: number;
}

/** Cents of USD per month and unit. */
const UNIT_AMOUNT = 1_000;
const MONTH_SECONDS = 30 * 86_400;

/** Returns a random Stripe id, such as `cus_…`. */
export const newProcessorId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

/** Builds an event of a subscription; `created` is in Unix seconds. */
export function subscriptionEvent(
  kind: 'created' | 'updated' | 'deleted',
  state: SubscriptionState,
  created: number,
): SentEvent {
  return webhookEvent(`customer.subscription.${kind}`, subscriptionObject(state), created);
}

/** Builds an event of any object; `created` is in Unix seconds. */
export function webhookEvent(type: string, object: object, created: number, id = newProcessorId('evt')): SentEvent {
  const body = JSON.stringify({
    id,
    object: 'event',
    api_version: '2026-10-28.endive',
    created,
    livemode: false,
    type,
    data: { object },
  });
  return { id, type, body, outcome: undefined, statuses: [] };
}

/** Renders a monthly subscription as a Stripe object. */
function subscriptionObject(it: SubscriptionState): Record<string, unknown> {
  const price = {
    id: 'price_of_the_fault_suite',
    object: 'price',
    product: 'prod_of_the_fault_suite',
    active: true,
    type: 'recurring',
    currency: 'usd',
    billing_scheme: 'per_unit',
    unit_amount: UNIT_AMOUNT,
    unit_amount_decimal: `${UNIT_AMOUNT}`,
    transform_quantity: null,
    recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
    metadata: {},
    created: it.startedAt,
  };
  const period = { current_period_start: it.startedAt, current_period_end: it.startedAt + MONTH_SECONDS };
  return {
    id: it.id,
    object: 'subscription',
    customer: it.customer,
    status: it.status,
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: it.status === 'canceled' ? it.startedAt + 1 : null,
    currency: 'usd',
    pause_collection: null,
    discounts: [],
    items: {
      object: 'list',
      data: [{ id: `si_${it.id}`, object: 'subscription_item', price, quantity: it.quantity, ...period }],
    },
    start_date: it.startedAt,
    trial_end: null,
    ended_at: it.status === 'canceled' ? it.startedAt + 1 : null,
    default_payment_method: null,
    metadata: { projectId: it.projectId },
    created: it.startedAt,
  };
}

import { createHmac, randomBytes } from 'node:crypto';
import type { SentEvent } from './sent.ts';

/** What the state of a subscription in an event is drawn from. */
export interface SubscriptionState {
  readonly id: string;
  /** The processor's id of the customer. */
  readonly customer: string;
  readonly projectId: string;
  readonly status: 'active' | 'trialing' | 'past_due' | 'canceled';
  readonly quantity: number;
  /** Unix seconds. */
  readonly startedAt: number;
}

/** In cents of USD a month, for one. */
export const UNIT_AMOUNT = 1_000;
const MONTH_S = 30 * 86_400;

export const newProcessorId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

/** An event about a subscription, as the processor renders it; `created` in Unix seconds. */
export function subscriptionEvent(
  kind: 'created' | 'updated' | 'deleted',
  state: SubscriptionState,
  created: number,
): SentEvent {
  return eventOf(`customer.subscription.${kind}`, subscriptionObject(state), created);
}

/** Any event about an object. */
export function eventOf(type: string, object: object, created: number, id = newProcessorId('evt')): SentEvent {
  const body = JSON.stringify({
    id,
    object: 'event',
    api_version: '2026-10-28.endive',
    created,
    livemode: false,
    type,
    data: { object },
  });
  return { id, type, body, outcome: undefined, answers: [] };
}

/** A monthly subscription in the processor's shape. */
export function subscriptionObject(it: SubscriptionState): Record<string, unknown> {
  const price = {
    id: 'price_of_the_fault_suite',
    object: 'price',
    product: 'prod_of_the_fault_suite',
    active: true,
    type: 'recurring',
    currency: 'usd',
    unit_amount: UNIT_AMOUNT,
    recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
    metadata: {},
    created: it.startedAt,
  };
  const period = { current_period_start: it.startedAt, current_period_end: it.startedAt + MONTH_S };
  return {
    id: it.id,
    object: 'subscription',
    customer: it.customer,
    status: it.status,
    cancel_at_period_end: false,
    cancel_at: null,
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

/** The header `stripe-signature`, made at `at` (Unix seconds). Stripe: https://docs.stripe.com/webhooks#verify-manually */
export function signatureOf(secret: string, body: string, at = Math.floor(Date.now() / 1_000)): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
}

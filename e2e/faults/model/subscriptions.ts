import { foldByObject, withoutRoutingKeys, type StripeEvent } from './stripe-event.ts';

export interface ModelItem {
  readonly processorPriceId: string;
  /** Decimal text, in the smallest unit of `currency`; null for a tiered price. */
  readonly amount: string | null;
  /** Of the subscription, which a price may have beside its own. */
  readonly currency: string;
  readonly billingScheme: 'per_unit' | 'tiered';
  readonly usageType: 'licensed' | 'metered';
  /** How many are billed as one, and how a rest is rounded. */
  readonly transform: { readonly divide_by: number; readonly round: 'up' | 'down' } | null;
  readonly interval: 'month' | 'year' | 'week' | 'day';
  readonly intervalCount: number;
  readonly quantity: number;
}

type StripeObject = StripeEvent['data']['object'];

/** A subscription with Stripe ids; dates are ISO 8601. */
export interface ModelSubscription {
  readonly processorCustomerId: string;
  readonly status: string;
  readonly cancelAtPeriodEnd: boolean;
  readonly cancelAt: string | null;
  readonly canceledAt: string | null;
  readonly startedAt: string;
  readonly trialEnd: string | null;
  readonly endedAt: string | null;
  /** How many. */
  readonly discounts: number;
  readonly paused: { readonly invoices: string; readonly resumesAt: string | null } | null;
  readonly items: readonly ModelItem[];
  readonly currentPeriodStart: string;
  readonly currentPeriodEnd: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: string;
}

const SUBSCRIPTION_EVENTS = /^customer\.subscription\./;

export const hasEnded = (status: string): boolean => status === 'canceled' || status === 'incomplete_expired';

/** Returns subscriptions by Stripe id. The newest event wins; an ended subscription stays ended. */
export const foldSubscriptions = (events: readonly StripeEvent[]): Map<string, ModelSubscription> =>
  foldByObject<ModelSubscription>(events, SUBSCRIPTION_EVENTS, (state, event) => {
    const next = read(event);
    return state && hasEnded(state.status) && !hasEnded(next.status) ? state : next;
  });

function read({ data: { object } }: StripeEvent): ModelSubscription {
  const [{ current_period_start: start, current_period_end: end }] = object.items.data;
  const { pause_collection: pause } = object;
  const endedEarly = object.ended_at !== null && object.ended_at < end;
  const cancelAt = object.cancel_at ?? (object.cancel_at_period_end ? end : null);
  return {
    processorCustomerId: object.customer,
    status: object.status,
    // Stripe keeps the plan to end when a subscription ends before its period does.
    cancelAtPeriodEnd: cancelAt !== null && !endedEarly,
    cancelAt: endedEarly ? null : dateOf(cancelAt),
    canceledAt: dateOf(object.canceled_at),
    startedAt: isoOf(object.start_date),
    trialEnd: dateOf(object.trial_end),
    endedAt: dateOf(object.ended_at),
    discounts: object.discounts.length,
    paused: pause && { invoices: pause.behavior, resumesAt: dateOf(pause.resumes_at) },
    items: object.items.data.map((item: StripeObject) => itemOf(item, object.currency)),
    currentPeriodStart: isoOf(start),
    currentPeriodEnd: isoOf(end),
    metadata: withoutRoutingKeys(object.metadata),
    createdAt: isoOf(object.created),
  };
}

function itemOf({ price, quantity }: StripeObject, currency: string): ModelItem {
  return {
    processorPriceId: price.id,
    amount: amountIn(currency, price),
    currency,
    billingScheme: price.billing_scheme,
    usageType: price.recurring.usage_type,
    transform: price.transform_quantity,
    interval: price.recurring.interval,
    intervalCount: price.recurring.interval_count,
    quantity: quantity ?? 1,
  };
}

/** No event shows amounts in other currencies than a price's own, so the histories write them into the price's metadata. */
const amountIn = (currency: string, price: StripeObject): string | null =>
  price.currency === currency ? price.unit_amount_decimal : price.metadata[`amount_${currency}`];

const dateOf = (seconds: number | null): string | null => (seconds === null ? null : isoOf(seconds));

const isoOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();

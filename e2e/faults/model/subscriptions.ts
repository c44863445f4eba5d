import { foldByObject, withoutRoutingKeys, type StripeEvent } from './stripe-event.ts';

export interface ModelItem {
  readonly processorPriceId: string;
  readonly unitAmount: number;
  readonly currency: string;
  readonly interval: 'month' | 'year' | 'week' | 'day';
  readonly intervalCount: number;
  readonly quantity: number;
}

/** A subscription with Stripe ids; dates are ISO 8601. */
export interface ModelSubscription {
  readonly processorCustomerId: string;
  readonly status: string;
  readonly cancelAtPeriodEnd: boolean;
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
  const endedEarly = object.ended_at !== null && object.ended_at < end;
  return {
    processorCustomerId: object.customer,
    status: object.status,
    // Stripe keeps these flags when a subscription ends before its period does.
    cancelAtPeriodEnd: (object.cancel_at_period_end || object.cancel_at !== null) && !endedEarly,
    items: object.items.data.map(itemOf),
    currentPeriodStart: isoOf(start),
    currentPeriodEnd: isoOf(end),
    metadata: withoutRoutingKeys(object.metadata),
    createdAt: isoOf(object.created),
  };
}

function itemOf({ price, quantity }: StripeEvent['data']['object']): ModelItem {
  return {
    processorPriceId: price.id,
    unitAmount: price.unit_amount,
    currency: price.currency,
    interval: price.recurring.interval,
    intervalCount: price.recurring.interval_count,
    quantity,
  };
}

const isoOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();

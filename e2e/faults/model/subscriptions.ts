import { foldEach, type ToldEvent } from './told-event.ts';
import { withoutRouting } from './metadata.ts';

export interface ModelItem {
  readonly processorPriceId: string;
  readonly unitAmount: number;
  readonly currency: string;
  readonly interval: 'month' | 'year' | 'week' | 'day';
  readonly intervalCount: number;
  readonly quantity: number;
}

/** A subscription, in the processor's ids. */
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

/** The newest event counts, and what has ended stays so. */
export const foldSubscriptions = (told: readonly ToldEvent[]): Map<string, ModelSubscription> =>
  foldEach<ModelSubscription>(told, SUBSCRIPTION_EVENTS, (state, event) => {
    const next = read(event);
    return state && hasEnded(state.status) && !hasEnded(next.status) ? state : next;
  });

function read({ data: { object } }: ToldEvent): ModelSubscription {
  const [{ current_period_start: start, current_period_end: end }] = object.items.data;
  const endedEarly = object.ended_at !== null && object.ended_at < end;
  return {
    processorCustomerId: object.customer,
    status: object.status,
    // Flags of an end to come may outlive an end that came before its time.
    cancelAtPeriodEnd: (object.cancel_at_period_end || object.cancel_at !== null) && !endedEarly,
    items: object.items.data.map(itemOf),
    currentPeriodStart: isoOf(start),
    currentPeriodEnd: isoOf(end),
    metadata: withoutRouting(object.metadata),
    createdAt: isoOf(object.created),
  };
}

function itemOf({ price, quantity }: ToldEvent['data']['object']): ModelItem {
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

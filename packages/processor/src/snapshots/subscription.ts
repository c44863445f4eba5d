import { SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { parsePrice, type PriceSnapshot } from './catalog.ts';
import { flag, knownWordOf, number, parseObject, reference, text, unixTime } from './fields.ts';

/** One item of a subscription: a price and a quantity. */
export interface SubscriptionItemSnapshot {
  readonly id: string;
  readonly price: PriceSnapshot;
  readonly quantity: number;
}

/** A subscription of the processor. */
export interface SubscriptionSnapshot {
  readonly id: string;
  readonly customerId: string;
  /** Null for a status that is newer than this service. */
  readonly status: SubscriptionStatus | null;
  /** Whether it is set to end, at the period's end or at a set time. */
  readonly cancelAtPeriodEnd: boolean;
  /** When it is set to end; null when it is not. */
  readonly cancelAt: Date | null;
  readonly items: readonly SubscriptionItemSnapshot[];
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  readonly startedAt: Date;
  readonly trialEnd: Date | null;
  /** When it ended; `canceled_at` is when the cancellation was requested. */
  readonly endedAt: Date | null;
  readonly defaultPaymentMethodId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

const status = knownWordOf(SUBSCRIPTION_STATUSES);

/**
 * Parses a subscription of any API version: periods are on the subscription before 2025-03-31 and on its items since. https://docs.stripe.com/changelog/basil/2025-03-31/deprecate-subscription-current-period-start-and-end
 */
export const readSubscription = (raw: unknown): SubscriptionSnapshot =>
  parseObject(raw, subscription => {
    const items = subscription.list('items', item => ({
      id: item.required('id', text),
      price: item.object('price', parsePrice),
      quantity: item.optional('quantity', number) ?? 1,
      periodStart: item.optional('current_period_start', unixTime),
      periodEnd: item.optional('current_period_end', unixTime),
    }));
    const startedAt = subscription.required('start_date', unixTime);
    const currentPeriodEnd =
      subscription.optional('current_period_end', unixTime) ?? earliest(items.map(it => it.periodEnd)) ?? startedAt;
    const cancelAt = subscription.optional('cancel_at', unixTime);
    const endsWithPeriod = subscription.required('cancel_at_period_end', flag);
    return {
      id: subscription.required('id', text),
      customerId: subscription.required('customer', reference),
      status: subscription.required('status', status),
      cancelAtPeriodEnd: endsWithPeriod || cancelAt !== null,
      cancelAt: cancelAt ?? (endsWithPeriod ? currentPeriodEnd : null),
      items: items.map(({ id, price, quantity }) => ({ id, price, quantity })),
      currentPeriodStart:
        subscription.optional('current_period_start', unixTime) ??
        earliest(items.map(it => it.periodStart)) ??
        startedAt,
      currentPeriodEnd,
      startedAt,
      trialEnd: subscription.optional('trial_end', unixTime),
      endedAt: subscription.optional('ended_at', unixTime),
      defaultPaymentMethodId: subscription.optional('default_payment_method', reference),
      metadata: subscription.metadata(),
      createdAt: subscription.required('created', unixTime),
    };
  });

function earliest(dates: readonly (Date | null)[]): Date | null {
  return dates.reduce((first, date) => (first === null || (date !== null && date < first) ? date : first), null);
}

import { z } from 'zod';
import { SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { readPrice, type PriceSnapshot } from './catalog.ts';
import { orNull, processorMetadata, reference, unixTime } from './read.ts';

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

const period = { current_period_start: unixTime.nullish(), current_period_end: unixTime.nullish() };
const subscription = z.object({
  id: z.string(),
  customer: reference,
  status: z.string(),
  cancel_at_period_end: z.boolean(),
  cancel_at: orNull(unixTime),
  items: z.object({
    data: z.array(z.object({ id: z.string(), price: z.unknown(), quantity: z.number().optional(), ...period })),
  }),
  start_date: unixTime,
  trial_end: orNull(unixTime),
  ended_at: orNull(unixTime),
  default_payment_method: orNull(reference),
  metadata: processorMetadata,
  created: unixTime,
  ...period,
});

/**
 * Parses a subscription of any API version: periods are on the subscription before 2025-03-31 and on its items since. https://docs.stripe.com/changelog/basil/2025-03-31/deprecate-subscription-current-period-start-and-end
 */
export function readSubscription(raw: unknown): SubscriptionSnapshot {
  const fields = subscription.parse(raw);
  const starts = fields.items.data.flatMap(item => item.current_period_start ?? []);
  const ends = fields.items.data.flatMap(item => item.current_period_end ?? []);
  const currentPeriodEnd = fields.current_period_end ?? earliest(ends) ?? fields.start_date;
  return {
    id: fields.id,
    customerId: fields.customer,
    status: SUBSCRIPTION_STATUSES.find(status => status === fields.status) ?? null,
    cancelAtPeriodEnd: fields.cancel_at_period_end || fields.cancel_at !== null,
    cancelAt: fields.cancel_at ?? (fields.cancel_at_period_end ? currentPeriodEnd : null),
    items: fields.items.data.map(item => ({ id: item.id, price: readPrice(item.price), quantity: item.quantity ?? 1 })),
    currentPeriodStart: fields.current_period_start ?? earliest(starts) ?? fields.start_date,
    currentPeriodEnd,
    startedAt: fields.start_date,
    trialEnd: fields.trial_end,
    endedAt: fields.ended_at,
    defaultPaymentMethodId: fields.default_payment_method,
    metadata: fields.metadata,
    createdAt: fields.created,
  };
}

function earliest(dates: readonly Date[]): Date | undefined {
  return dates.toSorted((a, b) => a.getTime() - b.getTime())[0];
}

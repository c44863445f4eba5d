import { z } from 'zod';
import { SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { readPrice, type PriceSnapshot } from './catalog.ts';
import { orNull, processorMetadata, reference, unixTime } from './read.ts';

/** One item of a subscription: a price and how many of it. */
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
  /** Whether it ends by itself, be it at the period's end or at a set time. */
  readonly cancelAtPeriodEnd: boolean;
  /** When it ends by itself; null while it goes on. */
  readonly cancelAt: Date | null;
  readonly items: readonly SubscriptionItemSnapshot[];
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  readonly startedAt: Date;
  readonly trialEnd: Date | null;
  /** When it ended; `canceled_at` would be when the end was asked for. */
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
 * Reads a subscription in the shape of any API version: periods stand on the subscription before 2025-03-31 and on its
 * items since. https://docs.stripe.com/changelog/basil/2025-03-31/deprecate-subscription-current-period-start-and-end
 */
export function readSubscription(raw: unknown): SubscriptionSnapshot {
  const it = subscription.parse(raw);
  const starts = it.items.data.flatMap(item => item.current_period_start ?? []);
  const ends = it.items.data.flatMap(item => item.current_period_end ?? []);
  const currentPeriodEnd = it.current_period_end ?? earliest(ends) ?? it.start_date;
  return {
    id: it.id,
    customerId: it.customer,
    status: SUBSCRIPTION_STATUSES.find(known => known === it.status) ?? null,
    cancelAtPeriodEnd: it.cancel_at_period_end || it.cancel_at !== null,
    cancelAt: it.cancel_at ?? (it.cancel_at_period_end ? currentPeriodEnd : null),
    items: it.items.data.map(item => ({ id: item.id, price: readPrice(item.price), quantity: item.quantity ?? 1 })),
    currentPeriodStart: it.current_period_start ?? earliest(starts) ?? it.start_date,
    currentPeriodEnd,
    startedAt: it.start_date,
    trialEnd: it.trial_end,
    endedAt: it.ended_at,
    defaultPaymentMethodId: it.default_payment_method,
    metadata: it.metadata,
    createdAt: it.created,
  };
}

function earliest(dates: readonly Date[]): Date | undefined {
  return dates.toSorted((a, b) => a.getTime() - b.getTime())[0];
}

import type { BilledItem } from '@billing/contracts/events/subscriptions';
import { ROUTING_KEYS } from '@billing/contracts/metadata';
import { unprocessable } from '@billing/contracts/problem';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import type { SubscriptionSnapshot } from '@billing/processor/port';

/** What one item bills as the processor tells it: all but our own id of its price. */
export type ItemTerms = Omit<BilledItem, 'priceId'>;

/** All that the processor decides about a subscription. Amounts are in the currency's smallest unit. */
export interface SubscriptionTerms {
  readonly status: SubscriptionStatus;
  readonly cancelAtPeriodEnd: boolean;
  /** When it ends by itself; null while it goes on. */
  readonly cancelAt: Date | null;
  readonly items: readonly ItemTerms[];
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  readonly trialEnd: Date | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export const ACTIVE_STATUSES = ['active', 'trialing'] as const satisfies readonly SubscriptionStatus[];
export const ENDED_STATUSES = ['canceled', 'incomplete_expired'] as const satisfies readonly SubscriptionStatus[];

/** Canceled and incomplete-expired subscriptions never come back. */
export const hasEnded = (status: SubscriptionStatus): boolean => ENDED_STATUSES.some(ended => ended === status);

/**
 * Lets only a subscription pass that has not ended: it may be scheduled to end, resumed, or canceled.
 * @throws Problem 422 `subscription_ended`
 */
export function requireRunning(status: SubscriptionStatus): void {
  if (hasEnded(status)) {
    throw unprocessable('subscription_ended', 'The subscription has ended; start a new checkout.');
  }
}

/**
 * What a snapshot says. `seenAt` is when the processor said it; it stands in for a missing time of ending.
 * Answers null for a status that is newer than this service while no status is `known`; else the known one stays.
 */
export function readTerms(
  snapshot: SubscriptionSnapshot,
  { seenAt, known }: { seenAt: Date; known: SubscriptionStatus | undefined },
): SubscriptionTerms | null {
  const status = snapshot.status ?? known;
  if (!status) return null;
  const endedAt = hasEnded(status) ? (snapshot.endedAt ?? seenAt) : null;
  // Flags of an end to come may outlive an end that came before its time.
  const endedEarly = endedAt !== null && endedAt < snapshot.currentPeriodEnd;
  return {
    status,
    cancelAtPeriodEnd: snapshot.cancelAtPeriodEnd && !endedEarly,
    cancelAt: endedEarly ? null : snapshot.cancelAt,
    items: snapshot.items.map(itemTerms),
    currentPeriodStart: snapshot.currentPeriodStart,
    currentPeriodEnd: snapshot.currentPeriodEnd,
    trialEnd: snapshot.trialEnd,
    startedAt: snapshot.startedAt,
    endedAt,
    metadata: withoutRoutingKeys(snapshot.metadata),
  };
}

/** A subscription that is canceled at `endedAt`, whatever else was said of it. */
export function canceledAt(terms: SubscriptionTerms, endedAt: Date): SubscriptionTerms {
  const endedEarly = endedAt < terms.currentPeriodEnd;
  const { cancelAtPeriodEnd, cancelAt } = endedEarly ? { cancelAtPeriodEnd: false, cancelAt: null } : terms;
  return { ...terms, status: 'canceled', endedAt, cancelAtPeriodEnd, cancelAt };
}

function itemTerms({ price, quantity }: SubscriptionSnapshot['items'][number]): ItemTerms {
  const { id, unitAmount, currency, interval, intervalCount, metered } = price;
  // A decimal amount is no whole number of the smallest unit, so it has no face value here.
  const wholeAmount = unitAmount !== null && Number.isSafeInteger(unitAmount) ? unitAmount : null;
  return { processorPriceId: id, unitAmount: wholeAmount, currency, interval, intervalCount, quantity, metered };
}

/** Metadata as its writer gave it: without the keys this service adds to find the way back. */
export function withoutRoutingKeys(metadata: Readonly<Record<string, string>>): Record<string, string> {
  const ours: ReadonlySet<string> = new Set(ROUTING_KEYS);
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !ours.has(key)));
}

import type { BilledItem } from '@billing/contracts/events/subscriptions';
import { unprocessable } from '@billing/contracts/problem';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { withoutRouting } from '@billing/processor/metadata';
import type { SubscriptionSnapshot } from '@billing/processor/port';

/** What one item bills, as the processor has it: all but our own id of its price. */
export type ItemTerms = Omit<BilledItem, 'priceId'>;

/** All that the processor decides about a subscription. Amounts are in the currency's smallest unit. */
export interface SubscriptionTerms {
  readonly status: SubscriptionStatus;
  readonly cancelAtPeriodEnd: boolean;
  /** When it ends by itself; null if it does not. */
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

/** Returns whether a subscription is canceled or its first payment has expired: it never comes back. */
export const hasEnded = (status: SubscriptionStatus): boolean => ENDED_STATUSES.some(ended => ended === status);

/**
 * Checks that a subscription has not ended, so that it can be scheduled to end, resumed or canceled.
 * @throws Problem 422 `subscription_ended`
 */
export function requireRunning(status: SubscriptionStatus): void {
  if (hasEnded(status)) {
    throw unprocessable('subscription_ended', 'The subscription has ended; start a new checkout.');
  }
}

/**
 * Returns the status that a snapshot shows. A status that is newer than this service leaves the recorded one.
 * @throws Error for an unknown status when none is recorded
 */
function statusOf(snapshot: SubscriptionSnapshot, recorded?: SubscriptionStatus): SubscriptionStatus {
  const status = snapshot.status ?? recorded;
  if (!status) throw new Error(`Subscription ${snapshot.id} has a status that this service does not know.`);
  return status;
}

/**
 * Returns what a snapshot shows. `observedAt`, the time of the snapshot, stands in for a missing time of the end.
 * @throws Error for an unknown status when none is recorded
 */
export function readTerms(
  snapshot: SubscriptionSnapshot,
  { observedAt, recordedStatus }: { observedAt: Date; recordedStatus?: SubscriptionStatus },
): SubscriptionTerms {
  const status = statusOf(snapshot, recordedStatus);
  const endedAt = hasEnded(status) ? (snapshot.endedAt ?? observedAt) : null;
  // Stripe keeps the flags of a scheduled end when the subscription ends before it.
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
    metadata: withoutRouting(snapshot.metadata),
  };
}

/** Returns the terms of a subscription after its cancellation at `endedAt`. */
export function canceledAt(terms: SubscriptionTerms, endedAt: Date): SubscriptionTerms {
  const endedEarly = endedAt < terms.currentPeriodEnd;
  const { cancelAtPeriodEnd, cancelAt } = endedEarly ? { cancelAtPeriodEnd: false, cancelAt: null } : terms;
  return { ...terms, status: 'canceled', endedAt, cancelAtPeriodEnd, cancelAt };
}

function itemTerms({ price, quantity }: SubscriptionSnapshot['items'][number]): ItemTerms {
  const { id, unitAmount, currency, interval, intervalCount, metered } = price;
  // A decimal amount cannot be given in whole units.
  const wholeAmount = unitAmount !== null && Number.isSafeInteger(unitAmount) ? unitAmount : null;
  return { processorPriceId: id, unitAmount: wholeAmount, currency, interval, intervalCount, quantity, metered };
}

import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';

/** As much of a subscription as decides what its customer is told and may do. */
export interface SubscriptionStanding {
  readonly status: SubscriptionStatus;
  readonly cancelAtPeriodEnd: boolean;
}

/** How things stand in a customer's words, and whether that is good, worth a look, urgent or neither. */
export interface StandingInWords {
  readonly words: string;
  readonly tone: 'good' | 'notable' | 'urgent' | 'neutral';
}

const STANDINGS: Readonly<Record<SubscriptionStatus, StandingInWords>> = {
  active: { words: 'Active', tone: 'good' },
  trialing: { words: 'Free trial', tone: 'good' },
  past_due: { words: 'Payment overdue', tone: 'urgent' },
  unpaid: { words: 'Unpaid', tone: 'urgent' },
  incomplete: { words: 'Waiting for the first payment', tone: 'urgent' },
  paused: { words: 'Paused', tone: 'neutral' },
  canceled: { words: 'Ended', tone: 'neutral' },
  incomplete_expired: { words: 'Ended', tone: 'neutral' },
};

/** How a subscription stands; one that pays its way but is to end is ending. */
export function standingOf({ status, cancelAtPeriodEnd }: SubscriptionStanding): StandingInWords {
  const isEnding = cancelAtPeriodEnd && (status === 'active' || status === 'trialing');
  return isEnding ? { words: 'Ending soon', tone: 'notable' } : STANDINGS[status];
}

/** Whether a payment is missing that the customer can make. */
export function needsPayment({ status }: Pick<SubscriptionStanding, 'status'>): boolean {
  return status === 'past_due' || status === 'unpaid' || status === 'incomplete';
}

/** Whether the subscription is over for good. */
function hasEnded({ status }: Pick<SubscriptionStanding, 'status'>): boolean {
  return status === 'canceled' || status === 'incomplete_expired';
}

/** Whether an end can be asked for; one whose first payment is open just lapses. */
export function canCancel(subscription: SubscriptionStanding): boolean {
  return !subscription.cancelAtPeriodEnd && !hasEnded(subscription) && subscription.status !== 'incomplete';
}

/** Whether an end that was asked for can be taken back. */
export function canResume(subscription: SubscriptionStanding): boolean {
  return subscription.cancelAtPeriodEnd && !hasEnded(subscription);
}

/** What needs the customer first, otherwise as given. */
export function mostUrgentFirst<Shown extends SubscriptionStanding>(subscriptions: readonly Shown[]): Shown[] {
  const rank = (it: Shown) => (needsPayment(it) ? 0 : 1);
  return subscriptions.toSorted((one, other) => rank(one) - rank(other));
}

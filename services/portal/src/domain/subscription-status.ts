import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import { hasEnded, type SubscriptionStatus } from '@billing/contracts/resources/subscription';

/** The fields of a subscription that decide what its customer sees and may do. */
type Cancelable = Pick<SubscriptionState, 'status' | 'cancelAtPeriodEnd'>;
type WithStatus = Pick<Cancelable, 'status'>;

/** A status in the customer's words, and the color it is shown in. */
export interface StatusLabel {
  readonly text: string;
  readonly tone: 'good' | 'notable' | 'urgent' | 'neutral';
}

const LABELS: Readonly<Record<SubscriptionStatus, StatusLabel>> = {
  active: { text: 'Active', tone: 'good' },
  trialing: { text: 'Free trial', tone: 'good' },
  past_due: { text: 'Payment overdue', tone: 'urgent' },
  unpaid: { text: 'Unpaid', tone: 'urgent' },
  incomplete: { text: 'Waiting for the first payment', tone: 'urgent' },
  paused: { text: 'Paused', tone: 'neutral' },
  canceled: { text: 'Ended', tone: 'neutral' },
  incomplete_expired: { text: 'Ended', tone: 'neutral' },
};

/** Returns the label of a subscription. A scheduled cancellation replaces only "Active" and "Free trial". */
export function statusLabel({ status, cancelAtPeriodEnd }: Cancelable): StatusLabel {
  const isEnding = cancelAtPeriodEnd && (status === 'active' || status === 'trialing');
  return isEnding ? { text: 'Ending soon', tone: 'notable' } : LABELS[status];
}

/** Returns whether a payment is missing that the customer can make. */
export function needsPayment({ status }: WithStatus): boolean {
  return status === 'past_due' || status === 'unpaid' || status === 'incomplete';
}

/** Returns whether a cancellation can be scheduled. An incomplete subscription expires by itself instead. */
export function canCancel(subscription: Cancelable): boolean {
  return !subscription.cancelAtPeriodEnd && !hasEnded(subscription.status) && subscription.status !== 'incomplete';
}

/** Returns whether a scheduled cancellation can be taken back. */
export function canResume(subscription: Cancelable): boolean {
  return subscription.cancelAtPeriodEnd && !hasEnded(subscription.status);
}

/** Returns the subscriptions that need a payment first; otherwise the order stays. */
export function mostUrgentFirst<Shown extends WithStatus>(subscriptions: readonly Shown[]): Shown[] {
  const rank = (subscription: Shown) => (needsPayment(subscription) ? 0 : 1);
  return subscriptions.toSorted((one, other) => rank(one) - rank(other));
}

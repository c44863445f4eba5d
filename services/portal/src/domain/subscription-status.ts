import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import { hasEnded } from '@billing/contracts/resources/subscription';

/** The fields of a subscription that decide what its customer sees and may do. */
type Cancelable = Pick<SubscriptionState, 'status' | 'cancelAtPeriodEnd'>;
type WithStatus = Pick<Cancelable, 'status'>;

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

type Payable = WithStatus & Partial<Pick<SubscriptionState, 'pendingChange'>>;

/** Returns the subscriptions first that need a payment, or whose change does; otherwise the order stays. */
export function mostUrgentFirst<Shown extends Payable>(subscriptions: readonly Shown[]): Shown[] {
  const rank = (subscription: Shown) => (needsPayment(subscription) || subscription.pendingChange ? 0 : 1);
  return subscriptions.toSorted((one, other) => rank(one) - rank(other));
}

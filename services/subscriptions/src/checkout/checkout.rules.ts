import type { CustomerState } from '@billing/contracts/resources/customer-state';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import type { CheckoutSessionSnapshot } from '@billing/processor/snapshots/checkout-session';

const DAY_MS = 86_400_000;

/**
 * What came of a hosted checkout that is no longer open: `processing` while its payment is on its way, `failed` when it
 * expired or its payment failed.
 */
export type CheckoutOutcome = 'processing' | 'complete' | 'failed';

/** How far a hosted checkout is, as callers see it. */
type CheckoutStatus = NonNullable<CustomerState['checkout']>['status'];

/** Returns what came of a checkout as the processor has it now; null while it is open. */
export function outcomeOf({ status, paymentStatus }: CheckoutSessionSnapshot): CheckoutOutcome | null {
  if (status === 'expired') return 'failed';
  if (status !== 'complete') return null;
  return outcomeOfCompleted({ paymentStatus });
}

/** Returns what came of a checkout that the customer has completed. A delayed payment, as of a bank debit, follows later. */
export const outcomeOfCompleted = ({ paymentStatus }: Pick<CheckoutSessionSnapshot, 'paymentStatus'>) =>
  paymentStatus === 'unpaid' ? 'processing' : 'complete';

/** A checkout as it is recorded, with the status of the subscription that it created. */
export interface RecordedCheckout {
  readonly state: 'reserved' | 'open' | CheckoutOutcome;
  readonly subscriptionStatus: SubscriptionStatus | null;
}

/** Returns how far a checkout is. One is not complete before its subscription is paid. */
export function statusOfCheckout({ state, subscriptionStatus }: RecordedCheckout): CheckoutStatus {
  if (state === 'reserved') return 'open';
  if (state === 'open' || state === 'failed') return state;
  if (subscriptionStatus === 'incomplete_expired') return 'failed';
  return subscriptionStatus === 'incomplete' ? 'processing' : state;
}

/** Returns whether nothing more comes of a checkout. */
export const hasEnded = (checkout: RecordedCheckout): boolean =>
  ['complete', 'failed'].includes(statusOfCheckout(checkout));

/** Returns whether a customer can still end an open checkout: the processor closes it after a day. */
export const isPending = ({ createdAt }: { readonly createdAt: Date }, now: Date): boolean =>
  now.getTime() - createdAt.getTime() < DAY_MS;

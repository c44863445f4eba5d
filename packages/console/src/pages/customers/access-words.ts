import type { CustomerState, Entitlement } from '@billing/client';

export type Source = Entitlement['sources'][number];
type StateSubscription = CustomerState['subscriptions'][number];

/** Says why a source gives, after what it is: `Pro, in its trial`. */
export const REASONS: Readonly<Record<Source['reason'], string>> = {
  active: '',
  trial: ', in its trial',
  grace: ', which is past due: it goes on in its grace',
  grant: 'Given by hand',
};

/** Says why a subscription gives nothing, after its name: `Pro is unpaid.` */
export function whyNothing({ status }: Pick<StateSubscription, 'status'>): string {
  if (status === 'past_due') return 'is past due, and its grace is over';
  if (status === 'unpaid') return 'is unpaid';
  if (status === 'paused') return 'is paused, for want of a payment method';
  return status === 'incomplete' ? 'waits for its first payment' : 'has ended';
}

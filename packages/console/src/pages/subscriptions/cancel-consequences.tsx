import type { Subscription } from '@billing/client';
import { Time } from '#ui/time.tsx';
import { endsOnlyNow, faceValue } from './next-step.ts';

interface ConsequencesProps {
  readonly subscription: Subscription;
}

const UNPAID: readonly Subscription['status'][] = ['past_due', 'unpaid', 'incomplete'];

const isMetered = ({ items }: Subscription): boolean => items.some(({ usageType }) => usageType === 'metered');

/** What a cancellation at the end of the period does. */
export function CancelAtEnd({ subscription }: ConsequencesProps) {
  const { status, currentPeriodEnd } = subscription;
  const amount = faceValue(subscription);
  const end = <Time at={currentPeriodEnd} />;
  if (status === 'trialing')
    return (
      <p>
        The trial goes on until {end}, then it ends. {amount ? `The first ${amount} is` : 'Nothing is'} not charged.
      </p>
    );
  return (
    <p>
      The customer keeps access until {end}.{' '}
      {amount ? `The ${amount} due then is not charged, nor anything after it.` : 'No further period is charged.'}{' '}
      {isMetered(subscription) && 'What was used until then is billed. '}
      {UNPAID.includes(status) && 'What is open stays to be paid. '}
      {subscription.scheduledChange && 'The scheduled change is dropped. '}
      Nothing is refunded. Until then it can be resumed.
    </p>
  );
}

/** What a cancellation now does. https://docs.stripe.com/billing/subscriptions/cancel */
export function CancelNow({ subscription }: ConsequencesProps) {
  const { status, currentPeriodEnd } = subscription;
  return (
    <p>
      {endsOnlyNow(subscription) && !subscription.cancelAtPeriodEnd
        ? 'The subscription ends at once'
        : 'The customer loses access at once'}
      {status === 'active' && (
        <>
          , although it is paid until <Time at={currentPeriodEnd} />
        </>
      )}
      .{' '}
      {status === 'trialing'
        ? 'The trial ends and nothing is charged.'
        : 'Nothing is refunded, and nothing more is charged.'}{' '}
      {isMetered(subscription) && 'What was used in this period is not billed. '}
      {UNPAID.includes(status) && 'Open invoices stay open, and Stripe stops to collect them. '}
      This can’t be undone.
    </p>
  );
}

import type { Subscription } from '@billing/client';
import { Card } from '#layout/page.tsx';
import { formatItems } from '#ui/amount.ts';
import { CopyableId } from '#ui/copy.tsx';
import { Details, MetadataRows } from '#ui/details.tsx';
import { StripeId } from '#ui/open-in-stripe.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { CANCELLATION_REASONS } from './cancellation-reasons.ts';
import { nextStep } from './next-step.ts';
import { SubscriptionStatus } from './subscription-status.tsx';

const PAUSED: Readonly<Record<string, string>> = {
  keep_as_draft: 'invoices stay drafts',
  mark_uncollectible: 'invoices become uncollectible',
  void: 'invoices are voided',
};

export function SubscriptionDetails({ subscription }: { readonly subscription: Subscription }) {
  const { pauseCollection, trialEnd, canceledAt, endedAt, cancellation } = subscription;
  const next = nextStep(subscription);
  return (
    <Card title="Details">
      <Details
        narrow
        of={{
          Customer: <CustomerLink id={subscription.customerId} />,
          Status: <SubscriptionStatus subscription={subscription} />,
          Costs: formatItems(subscription.items),
          Next: (
            <>
              {next.words} {next.at && <Time at={next.at} />}
              {next.amount && `: ${next.amount} before discounts and taxes`}
            </>
          ),
          Period: (
            <>
              <Time at={subscription.currentPeriodStart} /> – <Time at={subscription.currentPeriodEnd} />
            </>
          ),
          Started: <Time at={subscription.startedAt} show="time" />,
          Trial: trialEnd && (
            <>
              until <Time at={trialEnd} show="time" />
            </>
          ),
          Paused: pauseCollection && (
            <>
              Payments are paused{pauseCollection.resumesAt ? ' until ' : ' until someone resumes them'}
              {pauseCollection.resumesAt && <Time at={pauseCollection.resumesAt} show="time" />}
              {PAUSED[pauseCollection.behavior] && `: ${PAUSED[pauseCollection.behavior]}`}
            </>
          ),
          Canceled: canceledAt && <Time at={canceledAt} show="time" />,
          Reason: cancellation?.reason && CANCELLATION_REASONS[cancellation.reason],
          Comment: cancellation?.comment && <bdi className="pre-line">{cancellation.comment}</bdi>,
          Ended: endedAt && <Time at={endedAt} show="time" />,
          Id: <CopyableId id={subscription.id} />,
          'Stripe id': <StripeId id={subscription.processorSubscriptionId} what="the subscription" />,
        }}
      >
        <MetadataRows metadata={subscription.metadata} />
      </Details>
    </Card>
  );
}

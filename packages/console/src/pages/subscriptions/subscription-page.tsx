import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { unlessMissing } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { subscriptionQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Page } from '#layout/page.tsx';
import { Records } from '#layout/records.tsx';
import { OpenInStripe } from '#ui/open-in-stripe.tsx';
import { EmptyState } from '#ui/states.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { INVOICE_COLUMNS } from '../invoices/columns.tsx';
import { PAYMENT_COLUMNS } from '../payments/columns.tsx';
import { DiscountsCard } from './discounts-card.tsx';
import { PlannedChanges } from './planned-changes.tsx';
import { SubscriptionActions } from './subscription-actions.tsx';
import { SubscriptionChanges } from './subscription-changes.tsx';
import { SubscriptionDetails } from './subscription-details.tsx';
import { SubscriptionItems } from './subscription-items.tsx';

const UP = { page: 'subscriptions', title: 'Subscriptions' } as const;
const REFRESH_MS = 5_000;

/** Everything about one subscription on one page. */
export function SubscriptionPage() {
  const scope = useProject();
  const { billing, key } = scope;
  const { subscriptionId = '' } = useParams({ strict: false });
  const query = useQuery({ ...subscriptionQuery(scope, subscriptionId), refetchInterval: unlessMissing(REFRESH_MS) });
  const names = useProductNames();

  const { data: subscription } = query;
  if (!subscription) return <LoadingPage query={query} title="Subscription" up={UP} />;
  const { customerId } = subscription;
  return (
    <Page
      title={(names.isLoaded && names.ofItems(subscription.items)) || 'Subscription'}
      lead={
        <>
          Subscription of <CustomerLink id={customerId} />
        </>
      }
      up={UP}
      actions={
        <>
          <OpenInStripe id={subscription.processorSubscriptionId} />
          <SubscriptionActions subscription={subscription} all />
        </>
      }
    >
      <PlannedChanges subscription={subscription} />
      <div className="split">
        <div className="stack">
          <SubscriptionItems subscription={subscription} />
          <Records
            title="Invoices"
            queryKey={key('invoices', { subscriptionId })}
            list={(page, signal) => billing.invoices.list({ subscriptionId: subscription.id, ...page }, { signal })}
            columns={INVOICE_COLUMNS}
            empty={<EmptyState icon="invoices" title="No invoices" />}
          />
          <Records
            title="Payments"
            queryKey={key('payments', { subscriptionId })}
            list={(page, signal) => billing.payments.list({ subscriptionId: subscription.id, ...page }, { signal })}
            columns={PAYMENT_COLUMNS}
            empty={<EmptyState icon="payments" title="No payments" />}
          />
        </div>
        <div className="stack">
          <SubscriptionDetails subscription={subscription} />
          <DiscountsCard subscription={subscription} />
          <SubscriptionChanges objectId={subscription.processorSubscriptionId} />
        </div>
      </div>
    </Page>
  );
}

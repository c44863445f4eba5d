import type { Subscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { unlessMissing } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { subscriptionQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { DataTable } from '#layout/data-table.tsx';
import type { Column } from '#layout/list-table.tsx';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { Records } from '#layout/records.tsx';
import { formatItems, formatPrice } from '#ui/amount.ts';
import { Badge } from '#ui/badge.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details, MetadataRows } from '#ui/details.tsx';
import { OpenInStripe, StripeId } from '#ui/open-in-stripe.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { INVOICE_COLUMNS } from '../invoices/columns.tsx';
import { PAYMENT_COLUMNS } from '../payments/columns.tsx';
import { ProductNames } from '../products/product-name.tsx';
import { CANCELLATION_REASONS } from './cancellation-reasons.ts';
import { DiscountsCard } from './discounts-card.tsx';
import { NextItemsCard } from './next-items.tsx';
import { nextStep } from './next-step.ts';
import { PausedNotice } from './paused-notice.tsx';
import { PlannedChanges } from './planned-changes.tsx';
import { SubscriptionActions } from './subscription-actions.tsx';
import { TaxCard } from './tax-card.tsx';
import { WebhookChanges } from './webhook-changes.tsx';
import { SubscriptionStatus } from './subscription-summary.tsx';

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
      <PausedNotice subscription={subscription} />
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
          <TaxCard subscription={subscription} />
          <NextItemsCard subscription={subscription} />
          <WebhookChanges objectId={subscription.processorSubscriptionId} />
        </div>
      </div>
    </Page>
  );
}

type Item = Subscription['items'][number];

const COLUMNS: readonly Column<Item>[] = [
  { title: 'Product', cell: item => <ItemProduct item={item} /> },
  { title: 'Price', cell: item => <span className="num">{formatPrice(item)}</span> },
  {
    title: 'Quantity',
    width: 'count',
    end: true,
    cell: item => (item.usageType === 'metered' ? 'By usage' : item.quantity),
  },
];

/** What a subscription bills together. */
const SubscriptionItems = ({ subscription: { items } }: { readonly subscription: Subscription }) => (
  <Card title={items.length === 1 ? 'Item' : 'Items'} flush>
    <DataTable rows={items} rowKey={({ processorPriceId }) => processorPriceId} columns={COLUMNS} />
  </Card>
);

function ItemProduct({ item }: { readonly item: Item }) {
  const product = useProductNames().productOf(item.priceId);
  return (
    <span className="row">
      {product ? (
        <ProjectLink page={`products/${product.id}`} className="primary-cell">
          <ProductNames items={[item]} />
        </ProjectLink>
      ) : (
        <ProductNames items={[item]} />
      )}
      {product?.isActive === false && <Badge>Archived</Badge>}
      <OpenInStripe id={item.processorPriceId} what="the price" />
    </span>
  );
}

function SubscriptionDetails({ subscription }: { readonly subscription: Subscription }) {
  const { trialEnd, canceledAt, endedAt, cancellation, refusedPaymentMethod } = subscription;
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
          'Payment method refused': refusedPaymentMethod && <bdi>{refusedPaymentMethod.message}</bdi>,
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

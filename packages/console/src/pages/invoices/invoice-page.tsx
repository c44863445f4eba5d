import type { Payment, WholeInvoice } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { unlessMissing } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { Records } from '#layout/records.tsx';
import { useFirstPage, type ListSource } from '#layout/use-list-rows.ts';
import { CopyableId } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { StripeId } from '#ui/open-in-stripe.tsx';
import { sentence } from '#ui/sentence.ts';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { describeFailedPayment, failureOf } from '../failing-payments/failure-words.ts';
import { PAYMENT_COLUMNS } from '../payments/columns.tsx';
import { SubscriptionIdLink } from '../products/product-name.tsx';
import { WebhookChanges } from '../subscriptions/webhook-changes.tsx';
import { InvoiceActions } from './invoice-actions.tsx';
import { Amounts } from './invoice-amounts.tsx';
import { Lines } from './invoice-lines.tsx';

const UP = { page: 'invoices', title: 'Invoices' } as const;
const REFRESH_MS = 5_000;

/** Everything about one invoice on one page. */
export function InvoicePage() {
  const { billing, key } = useProject();
  const { invoiceId = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: key('invoices', 'one', invoiceId),
    queryFn: ({ signal }) => billing.invoices.get(invoiceId, { signal }),
    refetchInterval: unlessMissing(REFRESH_MS),
  });
  return query.data ? <Loaded invoice={query.data} /> : <LoadingPage query={query} title="Invoice" up={UP} />;
}

function Loaded({ invoice }: { readonly invoice: WholeInvoice }) {
  const { billing, key } = useProject();
  const { id: invoiceId, number, customerId } = invoice;
  const payments: ListSource<Payment> = {
    queryKey: key('payments', { invoiceId }),
    list: (page, signal) => billing.payments.list({ invoiceId, ...page }, { signal }),
  };
  const { data: tried } = useFirstPage(payments);
  const failed = tried?.items.find(({ status }) => status === 'failed');
  return (
    <Page
      title={number ? `Invoice ${number}` : 'Invoice'}
      lead={
        <>
          Invoice of <CustomerLink id={customerId} />
        </>
      }
      up={UP}
      actions={<InvoiceActions invoice={invoice} all failed={failed} />}
    >
      <div className="split">
        <div className="stack">
          <Amounts invoice={invoice} lastFailure={tried && lastFailureText(failed)} />
          {invoice.lines.length > 0 && <Lines invoice={invoice} />}
          <Records
            title="Payments"
            {...payments}
            columns={PAYMENT_COLUMNS}
            empty={<EmptyState icon="payments" title="No payment was tried" />}
          />
        </div>
        <div className="stack">
          <InvoiceDetails invoice={invoice} />
          <WebhookChanges objectId={invoice.processorInvoiceId} />
        </div>
      </div>
    </Page>
  );
}

const lastFailureText = (failed: Payment | undefined): string =>
  failed ? describeFailedPayment(failureOf(failed)) : 'None';

/** Why Stripe made an invoice. https://docs.stripe.com/api/invoices/object */
const REASONS: Readonly<Record<string, string>> = {
  subscription_create: 'A new subscription',
  subscription_cycle: 'A new period of the subscription',
  subscription_update: 'A change of the subscription',
  subscription_threshold: 'Usage reached a limit',
  manual: 'Billed once, beside subscriptions',
};

function InvoiceDetails({ invoice }: { readonly invoice: WholeInvoice }) {
  const { subscriptionId, billingReason, periodStart, periodEnd, dueDate, paidAt, createdAt } = invoice;
  const { customerTaxIds, purchaseOrder } = invoice;
  return (
    <Card title="Details">
      <Details
        narrow
        of={{
          Customer: <CustomerLink id={invoice.customerId} />,
          Subscription: subscriptionId && <SubscriptionIdLink id={subscriptionId} />,
          'Tax ids': customerTaxIds.map(({ value }) => value).join(', '),
          'Order number': purchaseOrder && <bdi>{purchaseOrder}</bdi>,
          Reason: billingReason && (REASONS[billingReason] ?? sentence(billingReason)),
          Period: periodStart && periodEnd && (
            <>
              <Time at={periodStart} /> – <Time at={periodEnd} />
            </>
          ),
          Created: <Time at={createdAt} show="time" />,
          Due: dueDate && <Time at={dueDate} show="time" />,
          Paid: paidAt && <Time at={paidAt} show="time" />,
          Id: <CopyableId id={invoice.id} />,
          'Stripe id': <StripeId id={invoice.processorInvoiceId} what="the invoice" />,
        }}
      />
    </Card>
  );
}

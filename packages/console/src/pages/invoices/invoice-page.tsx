import type { Invoice, Payment } from '@billing/client';
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
import { formatMoney } from '#ui/money.ts';
import { StripeId } from '#ui/open-in-stripe.tsx';
import { sentence } from '#ui/sentence.ts';
import { EmptyState, Skeleton } from '#ui/states.tsx';
import { INVOICE_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { describeFailedPayment, failureOf } from '../failing-payments/failure-words.ts';
import { PAYMENT_COLUMNS } from '../payments/columns.tsx';
import { SubscriptionIdLink } from '../products/product-name.tsx';
import { WebhookChanges } from '../subscriptions/webhook-changes.tsx';
import { InvoiceActions, InvoiceLinks } from './invoice-actions.tsx';

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

function Loaded({ invoice }: { readonly invoice: Invoice }) {
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

interface AmountsProps {
  readonly invoice: Invoice;
  /** Undefined until it is known. */
  readonly lastFailure: string | undefined;
}

function Amounts({ invoice, lastFailure }: AmountsProps) {
  const { status, amountDue, amountPaid, amountRemaining, currency } = invoice;
  const money = (amount: number) => <span className="num">{formatMoney(amount, currency)}</span>;
  return (
    <Card
      title="Amounts"
      lead="Lines, discounts and taxes stand on the invoice itself."
      actions={
        <span className="row">
          <InvoiceLinks invoice={invoice} inWords />
        </span>
      }
    >
      <Details
        of={{
          Status: <StatusBadge of={INVOICE_STATUS[status]} />,
          Due: money(amountDue),
          Paid: money(amountPaid),
          Remaining: money(amountRemaining),
          'Last failure':
            status === 'open' && amountDue > 0 ? <bdi>{lastFailure ?? <Skeleton width="10rem" />}</bdi> : undefined,
        }}
      />
    </Card>
  );
}

/** Why Stripe made an invoice. https://docs.stripe.com/api/invoices/object */
const REASONS: Readonly<Record<string, string>> = {
  subscription_create: 'A new subscription',
  subscription_cycle: 'A new period of the subscription',
  subscription_update: 'A change of the subscription',
  subscription_threshold: 'Usage reached a limit',
  manual: 'Made by hand or by another program',
};

function InvoiceDetails({ invoice }: { readonly invoice: Invoice }) {
  const { subscriptionId, billingReason, periodStart, periodEnd, dueDate, paidAt, createdAt } = invoice;
  return (
    <Card title="Details">
      <Details
        narrow
        of={{
          Customer: <CustomerLink id={invoice.customerId} />,
          Subscription: subscriptionId && <SubscriptionIdLink id={subscriptionId} />,
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

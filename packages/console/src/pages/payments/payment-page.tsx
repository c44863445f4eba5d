import type { Payment } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { unlessMissing } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { formatMoney } from '#ui/money.ts';
import { Notice } from '#ui/notice.tsx';
import { StripeId } from '#ui/open-in-stripe.tsx';
import { methodText } from '#ui/payment-method.ts';
import { PAYMENT_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { describeFailedPayment, failureOf } from '../failing-payments/failure-words.ts';
import { InvoiceIdLink } from '../invoices/invoice-link.tsx';
import { WebhookChanges } from '../subscriptions/webhook-changes.tsx';
import { PaymentActions } from './payment-actions.tsx';

const UP = { page: 'payments', title: 'Payments' } as const;
const REFRESH_MS = 5_000;

/** What a status means for the money. */
const MEANINGS: Readonly<Partial<Record<Payment['status'], string>>> = {
  requires_capture: 'The bank holds the money ready. It is taken once the payment is captured in Stripe.',
  canceled: 'No money was taken.',
  inquiry: 'The customer’s bank asks about the payment. A refund answers it; the money stays until then.',
  disputed: 'The customer disputes the payment, so Stripe holds the money. Respond in Stripe’s dashboard.',
  dispute_lost: 'The customer’s bank took the money back.',
};

/** Everything about one payment on one page. */
export function PaymentPage() {
  const { billing, key } = useProject();
  const { paymentId = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: key('payments', 'one', paymentId),
    queryFn: ({ signal }) => billing.payments.get(paymentId, { signal }),
    refetchInterval: unlessMissing(REFRESH_MS),
  });
  const { data: payment } = query;
  if (!payment) return <LoadingPage query={query} title="Payment" up={UP} />;
  const { status, processorPaymentIntentId, processorChargeId } = payment;
  const objectId = processorPaymentIntentId ?? processorChargeId;
  return (
    <Page
      title={`Payment of ${formatMoney(payment.amount, payment.currency)}`}
      lead={
        <>
          From <CustomerLink id={payment.customerId} />
        </>
      }
      up={UP}
      actions={<PaymentActions payment={payment} all />}
    >
      {status === 'failed' && (
        <Notice tone="bad">
          The payment failed: <bdi>{describeFailedPayment(failureOf(payment))}</bdi>
        </Notice>
      )}
      {MEANINGS[status] && <Notice>{MEANINGS[status]}</Notice>}
      <div className="split">
        <PaymentDetails payment={payment} />
        {objectId && <WebhookChanges objectId={objectId} />}
      </div>
    </Page>
  );
}

function PaymentDetails({ payment }: { readonly payment: Payment }) {
  const { amount, amountRefunded, currency, processorPaymentIntentId, processorChargeId, failureCode } = payment;
  const money = (shown: number) => <span className="num">{formatMoney(shown, currency)}</span>;
  return (
    <Card title="Details">
      <Details
        of={{
          Status: <StatusBadge of={PAYMENT_STATUS[payment.status]} />,
          Amount: money(amount),
          Refunded: amountRefunded > 0 ? money(amountRefunded) : undefined,
          'Left of it': amountRefunded > 0 ? money(amount - amountRefunded) : undefined,
          Customer: <CustomerLink id={payment.customerId} />,
          Invoice: <InvoiceIdLink id={payment.invoiceId} />,
          'Paid with': methodText(payment.paymentMethod),
          'Last failure': failureCode && describeFailedPayment(failureOf(payment)),
          'Stripe’s code for it': failureCode && <code>{failureCode}</code>,
          Created: <Time at={payment.createdAt} show="time" />,
          Id: <CopyableId id={payment.id} />,
          'Stripe payment intent': processorPaymentIntentId && (
            <StripeId id={processorPaymentIntentId} what="the payment intent" />
          ),
          'Stripe charge': processorChargeId && <StripeId id={processorChargeId} what="the charge" />,
        }}
      />
    </Card>
  );
}

import { BillingError, type DunningCase, type Invoice, type Payment } from '@billing/client';
import { useProject } from '#api/project.ts';
import { useClose } from '#resource/dialog-button.tsx';
import { useOnce } from '#resource/use-once.ts';
import { useDialogWrite } from '#resource/write-dialogs.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { RefusalNotice } from '#ui/form.tsx';
import { formatMoney } from '#ui/money.ts';
import { CustomerName } from '../customers/customer-name.tsx';
import { describeDecline, describeFailedPayment, failureOf } from '../failing-payments/failure-words.ts';

interface Retried extends Pick<DunningCase, 'invoiceId' | 'customerId' | 'amountDue' | 'currency'> {
  /** Undefined while none is known. */
  readonly lastFailure: DunningCase['lastFailure'] | undefined;
}

/** Returns how an open invoice fails, from the newest failed payment for it, where one is known. */
export const retriedOf = (
  { id: invoiceId, customerId, amountRemaining: amountDue, currency }: Invoice,
  failed: Payment | undefined,
): Retried => ({ invoiceId, customerId, amountDue, currency, lastFailure: failed && failureOf(failed) });

/** Tries to collect an open invoice. */
export function RetryDialog({ invoiceId, customerId, amountDue, currency, lastFailure }: Retried) {
  const { billing, key } = useProject();
  const onClose = useClose();
  const once = useOnce();
  const write = useDialogWrite<void, unknown>({
    write: () => once('retry', options => billing.invoices.retry(invoiceId, options)),
    stale: [key()],
    done: 'The invoice is paid.',
  });
  const decline = declineOf(write.error);
  const amount = formatMoney(amountDue, currency);
  return (
    <ConfirmDialog
      title="Try the payment again"
      action={`Charge ${amount}`}
      isHarmless
      write={{ ...write, error: decline ? undefined : write.error }}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          Stripe charges the payment method of <CustomerName id={customerId} /> now, and goes on with its own attempts
          if that fails.
        </p>
        {decline ? (
          <RefusalNotice {...decline} />
        ) : (
          lastFailure && (
            <p>
              The last attempt failed: <bdi>{describeFailedPayment(lastFailure)}</bdi>
            </p>
          )
        )}
      </div>
    </ConfirmDialog>
  );
}

function declineOf(error: unknown) {
  if (!(error instanceof BillingError)) return undefined;
  const why = describeDecline(error);
  return (
    why && { requestId: error.requestId, children: `${why} Send the customer the link, with which they pay otherwise.` }
  );
}

import { BillingError, type DunningCase } from '@billing/client';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { randomHex } from '#api/random-hex.ts';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { CopyButton } from '#ui/copy.tsx';
import { RefusalNotice } from '#ui/form.tsx';
import { formatMoney } from '#ui/money.ts';
import { CustomerName } from '../customers/customer-name.tsx';
import { describeDecline, describeFailedPayment } from './failure-words.ts';

/** Tries to collect a payment that failed, or copies the link with which its customer pays. */
export function CaseActions({ failing }: { readonly failing: DunningCase }) {
  const [isOpen, setOpen] = useState(false);
  const { status, hostedInvoiceUrl } = failing;
  if (status !== 'recovering') return null;
  return (
    <>
      <span className="row">
        <Button small onClick={() => setOpen(true)}>
          Retry…
        </Button>
        {hostedInvoiceUrl !== null && <CopyButton text={hostedInvoiceUrl}>Copy link</CopyButton>}
      </span>
      {isOpen && <RetryDialog failing={failing} onClose={() => setOpen(false)} />}
    </>
  );
}

interface RetryDialogProps {
  readonly failing: DunningCase;
  readonly onClose: () => void;
}

function RetryDialog({ failing, onClose }: RetryDialogProps) {
  const { billing, key } = useProject();
  // Sent again because its response was lost, it is the same attempt.
  const [idempotencyKey, setKey] = useState(() => randomHex(32));
  const { invoiceId, customerId, amountDue, currency, lastFailure } = failing;
  const write = useWrite({
    write: async () => {
      try {
        return await billing.invoices.retry(invoiceId, { idempotencyKey });
      } catch (error) {
        if (declineOf(error)) setKey(randomHex(32));
        throw error;
      }
    },
    stale: [key()],
    done: 'The invoice is paid.',
    onDone: onClose,
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
          <p>
            The last attempt failed: <bdi>{describeFailedPayment(lastFailure)}</bdi>
          </p>
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

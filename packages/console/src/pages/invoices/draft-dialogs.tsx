import type { Invoice } from '@billing/client';
import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { useClose } from '#resource/dialog-button.tsx';
import { useOnce } from '#resource/use-once.ts';
import { ConfirmWrite } from '#resource/write-dialogs.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { RefusalNotice } from '#ui/form.tsx';
import { formatMoney } from '#ui/money.ts';
import { Time } from '#ui/time.tsx';
import { CustomerName } from '../customers/customer-name.tsx';
import { describeRefusal, isUnpaid, outcomeText } from './invoice-outcome.ts';
import { UnpaidDialog } from './unpaid-dialog.tsx';

interface DraftProps {
  readonly invoice: Invoice;
}

/** Makes a draft final, which charges or sends it; says so first. */
export function FinalizeDialog({ invoice }: DraftProps) {
  const { billing, key } = useProject();
  const close = useClose();
  const once = useOnce();
  const finalize = useWrite<void, Invoice>({
    write: () => once('finalize', options => billing.invoices.finalize(invoice.id, options)),
    stale: [key()],
    done: outcomeText,
    onDone: made => {
      if (!isUnpaid(made)) close();
    },
  });
  if (finalize.data && isUnpaid(finalize.data)) return <UnpaidDialog invoice={finalize.data} />;
  const refusal = describeRefusal(finalize.error, invoice.currency);
  const { amountDue, currency, dueDate } = invoice;
  const amount = formatMoney(amountDue, currency);
  return (
    <ConfirmDialog
      title="Finalize the draft"
      action={amountDue <= 0 ? 'Finalize' : dueDate ? `Send an invoice of ${amount}` : `Charge ${amount}`}
      isHarmless
      write={{ ...finalize, error: refusal ? undefined : finalize.error }}
      onClose={close}
    >
      <div className="stack">
        <p>
          <Consequence invoice={invoice} /> It gets its number, and cannot be changed any more.
        </p>
        {refusal && <RefusalNotice {...refusal} />}
      </div>
    </ConfirmDialog>
  );
}

/** What becomes of a draft once it is final. */
function Consequence({ invoice: { customerId, amountDue, currency, dueDate } }: DraftProps) {
  const customer = <CustomerName id={customerId} />;
  const amount = formatMoney(amountDue, currency);
  if (amountDue <= 0) return 'Nothing is due, so the invoice is paid at once.';
  if (dueDate)
    return (
      <>
        Stripe mails the invoice to {customer}, who is to pay {amount} until <Time at={dueDate} />.
      </>
    );
  return (
    <>
      Stripe charges {amount} to the saved payment method of {customer} now. If that fails, the invoice becomes void or
      stays open, as it was chosen when the draft was made.
    </>
  );
}

interface DeleteDraftProps extends DraftProps {
  /** Whether it is deleted on its own page, which leads back to the list. */
  readonly isOnPage: boolean;
}

/** Deletes a draft, once that is confirmed. */
export function DeleteDraftDialog({ invoice, isOnPage }: DeleteDraftProps) {
  const { billing, key } = useProject();
  return (
    <ConfirmWrite
      title="Delete the draft"
      action="Delete"
      write={() => billing.invoices.delete(invoice.id)}
      stale={[key('invoices')]}
      done="The draft is deleted, here and in Stripe."
      opens={isOnPage ? () => 'invoices' : undefined}
    >
      Nothing is billed to <CustomerName id={invoice.customerId} />, and nobody sees the invoice. This cannot be undone.
    </ConfirmWrite>
  );
}

import type { Invoice } from '@billing/client';
import { ProjectLink } from '#layout/project-link.tsx';
import { useClose } from '#resource/dialog-button.tsx';
import { CopyButton } from '#ui/copy.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { formatMoney } from '#ui/money.ts';
import { Notice } from '#ui/notice.tsx';
import { CustomerName } from '../customers/customer-name.tsx';

/** Says that an invoice could not be charged and is kept open, and offers the link with which it is paid. */
export function UnpaidDialog({ invoice }: { readonly invoice: Invoice }) {
  const close = useClose();
  const { id, number, customerId, amountRemaining, currency, hostedInvoiceUrl } = invoice;
  return (
    <Dialog title="The payment failed" onClose={close}>
      <Notice tone="warn" role="alert">
        <strong>
          The invoice {number} of {formatMoney(amountRemaining, currency)} is open.
        </strong>{' '}
        Send <CustomerName id={customerId} /> the link, with which they pay otherwise. Stripe also tries again by
        itself.
      </Notice>
      <div className="dialog-actions">
        {hostedInvoiceUrl && <CopyButton text={hostedInvoiceUrl}>Copy the payment link</CopyButton>}
        <ProjectLink page={`invoices/${id}`} className="button primary" onClick={close}>
          Open the invoice
        </ProjectLink>
      </div>
    </Dialog>
  );
}

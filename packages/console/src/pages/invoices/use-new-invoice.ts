import type { InvoiceCreate } from '@billing/client';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useClose } from '#resource/dialog-button.tsx';
import { usePreviewedWrite } from '#resource/use-previewed-write.ts';
import { costOf } from './invoice-form.ts';
import { isUnpaid, outcomeText } from './invoice-outcome.ts';

/** The preview of an invoice, and what bills it for the previewed amount; the dialog closes unless its payment failed. */
export function useNewInvoice(wanted: InvoiceCreate | undefined) {
  const { billing, key } = useProject();
  const close = useClose();
  const openPage = useOpenPage();
  const { made, ...rest } = usePreviewedWrite({
    queryKey: key('invoice-preview'),
    wanted,
    costOf,
    read: (invoice, signal) => billing.invoices.preview(invoice, { signal }),
    pin: (invoice, preview) => ({ ...invoice, expectedAmountDue: preview?.amountDue }),
    send: (invoice: InvoiceCreate, options) => billing.invoices.create(invoice, options),
    stale: [key()],
    done: invoice => (invoice.status === 'draft' ? 'The draft is created.' : outcomeText(invoice)),
    onDone: invoice => {
      if (isUnpaid(invoice)) return;
      close();
      openPage(`invoices/${invoice.id}`);
    },
  });
  return { ...rest, unpaid: made && isUnpaid(made) ? made : undefined };
}

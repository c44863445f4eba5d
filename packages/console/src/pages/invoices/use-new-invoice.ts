import type { InvoiceCreate } from '@billing/client';
import { isRefused } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { useClose } from '#resource/dialog-button.tsx';
import { useOnce } from '#resource/use-once.ts';
import { usePreview } from '#resource/use-preview.ts';
import { costOf } from './invoice-form.ts';
import { isUnpaid, outcomeText } from './invoice-outcome.ts';

/** The preview of an invoice, and what bills it for the previewed amount; the dialog closes unless its payment failed. */
export function useNewInvoice(wanted: InvoiceCreate | undefined) {
  const { billing, key } = useProject();
  const close = useClose();
  const openPage = useOpenPage();
  const once = useOnce();
  const preview = usePreview({
    queryKey: key('invoice-preview'),
    wanted: wanted && costOf(wanted),
    read: (invoice, signal) => billing.invoices.preview(invoice, { signal }),
  });
  const make = useWrite({
    write: (invoice: InvoiceCreate) =>
      once(JSON.stringify(invoice), options => billing.invoices.create(invoice, options)),
    stale: [key()],
    done: invoice => (invoice.status === 'draft' ? 'The draft is created.' : outcomeText(invoice)),
    onDone: invoice => {
      if (isUnpaid(invoice)) return;
      close();
      openPage(`invoices/${invoice.id}`);
    },
  });
  // Another invoice was not refused.
  const isSame = isOf(make.variables, wanted);
  const error = isSame ? make.error : null;
  const mutate = () => {
    // What it costs may have changed because it was made: as it was sent, it is the same one.
    if (isSame && make.variables && error && !isRefused(error)) make.mutate(make.variables);
    else if (wanted && preview.data) make.mutate({ ...wanted, expectedAmountDue: preview.data.amountDue });
  };
  return {
    preview,
    write: { isPending: make.isPending || preview.isPending, error, mutate },
    unpaid: make.data && isUnpaid(make.data) ? make.data : undefined,
  };
}

/** Whether an invoice was sent for what the form says now. */
const isOf = (sent: InvoiceCreate | undefined, wanted: InvoiceCreate | undefined): boolean =>
  sent !== undefined &&
  JSON.stringify({ ...wanted, expectedAmountDue: sent.expectedAmountDue }) === JSON.stringify(sent);

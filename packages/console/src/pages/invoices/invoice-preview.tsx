import type { InvoiceCreate, InvoicePreview } from '@billing/client';
import { balanceRows, PreviewedLines } from '#resource/preview.tsx';
import { Details } from '#ui/details.tsx';
import { formatMoney } from '#ui/money.ts';

interface InvoicePreviewDetailsProps {
  readonly preview: InvoicePreview;
  readonly invoice: InvoiceCreate;
}

/** What an invoice costs, in Stripe’s own figures. */
export function InvoicePreviewDetails({ preview, invoice }: InvoicePreviewDetailsProps) {
  const { currency, amountDue, lines } = preview;
  const money = (amount: number) => <span className="num">{formatMoney(amount, currency)}</span>;
  return (
    <>
      <p role="status">
        <strong>
          {amountDue > 0 ? (
            <>
              Due {dueText(invoice)}: {money(amountDue)}.
            </>
          ) : (
            'Nothing is due.'
          )}
        </strong>
      </p>
      <PreviewedLines lines={lines.map(toShownLine)} sums={preview} money={money} />
      <Details narrow of={balanceRows(preview, money)} />
    </>
  );
}

const toShownLine = ({ description, amount, quantity }: InvoicePreview['lines'][number]) => ({
  amount,
  text: quantity !== null && quantity > 1 ? `${quantity} × ${description ?? ''}` : description,
});

/** Says when an invoice is to be paid; a draft waits until it is final. */
function dueText({ collect, daysUntilDue, draft }: InvoiceCreate): string {
  const days = (collect === 'invoice' && daysUntilDue) || 0;
  const count = `${days} ${days === 1 ? 'day' : 'days'}`;
  if (draft) return days === 0 ? 'once it is final' : `${count} after it is final`;
  return days === 0 ? 'today' : `in ${count}`;
}

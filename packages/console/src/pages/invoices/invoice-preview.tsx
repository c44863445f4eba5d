import type { InvoicePreview } from '@billing/client';
import { balanceRows, PreviewedLines } from '#resource/preview.tsx';
import { Details } from '#ui/details.tsx';
import { formatMoney } from '#ui/money.ts';

interface InvoicePreviewDetailsProps {
  readonly preview: InvoicePreview;
  /** When it is to be paid: `today`. */
  readonly due: string;
}

/** What an invoice costs, in Stripe’s own figures. */
export function InvoicePreviewDetails({ preview, due }: InvoicePreviewDetailsProps) {
  const { currency, amountDue, lines } = preview;
  const money = (amount: number) => <span className="num">{formatMoney(amount, currency)}</span>;
  return (
    <>
      <p role="status">
        <strong>
          {amountDue > 0 ? (
            <>
              Due {due}: {money(amountDue)}.
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

/** Stripe’s words for a period begin with the quantity, those for what is billed once do not. */
const toShownLine = ({ description, amount, quantity }: InvoicePreview['lines'][number]) => {
  const times = quantity !== null && quantity > 1 ? `${quantity} × ` : '';
  return { amount, text: description?.startsWith(times) ? description : `${times}${description ?? ''}` };
};

interface Terms {
  readonly collect?: string | null | undefined;
  readonly daysUntilDue?: number | null | undefined;
  readonly draft?: boolean | null | undefined;
}

/** Says when an invoice is to be paid; a draft waits until it is final. */
export function dueText({ collect, daysUntilDue, draft }: Terms): string {
  const days = (collect === 'invoice' && daysUntilDue) || 0;
  const count = `${days} ${days === 1 ? 'day' : 'days'}`;
  if (draft) return days === 0 ? 'once it is final' : `${count} after it is final`;
  return days === 0 ? 'today' : `in ${count}`;
}

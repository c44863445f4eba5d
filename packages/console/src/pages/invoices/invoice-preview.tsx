import type { InvoicePreview } from '@billing/client';
import { balanceRows, PreviewedLines } from '#resource/preview.tsx';
import { Details } from '#ui/details.tsx';
import { formatMoney } from '#ui/money.ts';

interface InvoicePreviewDetailsProps {
  readonly preview: InvoicePreview;
  /** In how many days it is due; undefined for what is charged. */
  readonly daysUntilDue: number | undefined;
}

/** What an invoice costs, in Stripe’s own figures. */
export function InvoicePreviewDetails({ preview, daysUntilDue }: InvoicePreviewDetailsProps) {
  const { currency, amountDue, lines } = preview;
  const money = (amount: number) => <span className="num">{formatMoney(amount, currency)}</span>;
  return (
    <>
      <p role="status">
        <strong>
          {amountDue > 0 ? (
            <>
              Due {dueText(daysUntilDue)}: {money(amountDue)}.
            </>
          ) : (
            'Nothing is due: it is paid at once.'
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

const dueText = (days: number | undefined): string =>
  days === undefined || days === 0 ? 'today' : `in ${days} ${days === 1 ? 'day' : 'days'}`;

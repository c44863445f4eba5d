import type { PlanChangePreview, ResumePreview } from '@billing/client';
import type { ReactNode } from 'react';
import { balanceRows, PreviewedLines } from '#resource/preview.tsx';
import { Details } from '#ui/details.tsx';
import { formatMoney } from '#ui/money.ts';
import { Time } from '#ui/time.tsx';

interface DueDetailsProps {
  readonly preview: ResumePreview;
  /** What to say of it besides. */
  readonly note?: string;
  readonly rows?: Readonly<Record<string, ReactNode>>;
}

/** What a change of a subscription costs today, in Stripe’s own figures. */
export function DueDetails({ preview, note, rows }: DueDetailsProps) {
  const { currency, amountDue, creditGranted, exact, lines } = preview;
  const money = (amount: number) => <span className="num">{formatMoney(amount, currency)}</span>;
  return (
    <>
      <p role="status">
        <strong>{amountDue > 0 ? <>Due today: {money(amountDue)}.</> : 'Nothing is due today.'}</strong> {note}
      </p>
      {!exact && <p className="muted">It depends on the second, so that the amount may still change a little.</p>}
      {lines.length > 0 && <PreviewedLines lines={lines.map(toShownLine)} sums={preview} money={money} />}
      <Details
        narrow
        of={{
          ...balanceRows(preview, money),
          'To the balance': creditGranted === 0 ? undefined : money(creditGranted),
          ...rows,
        }}
      />
    </>
  );
}

/** A line by its words, or the period that it bills. */
export const toShownLine = ({ description, amount, periodStart, periodEnd }: PlanChangePreview['lines'][number]) => ({
  amount,
  text: description ?? (
    <>
      <Time at={periodStart} /> – <Time at={periodEnd} />
    </>
  ),
});

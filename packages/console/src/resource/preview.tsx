import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { isRefused } from '#api/failure.ts';
import { Button } from '#ui/button.tsx';
import { FormProblem } from '#ui/form.tsx';
import { SkeletonLines } from '#ui/states.tsx';

interface PreviewProps<Data> {
  readonly query: { readonly data: Data | undefined; readonly error: unknown; readonly refetch: () => unknown };
  readonly children: (data: Data) => ReactNode;
}

/** A preview, or why there is none. */
export function Preview<Data>({ query: { data, error, refetch }, children }: PreviewProps<Data>) {
  if (error)
    return (
      <>
        <FormProblem error={error} />
        {!isRefused(error) && (
          <div className="row">
            <Button small icon="retry" onClick={() => void refetch()}>
              Try again
            </Button>
          </div>
        )}
      </>
    );
  return data ? children(data) : <SkeletonLines lines={2} />;
}

/** Where a form says what it costs: as high as it was, so that nothing moves while the next preview loads. */
export function CostSection({ children }: { readonly children: ReactNode }) {
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (ref.current) ref.current.style.minHeight = `${ref.current.offsetHeight}px`;
  });
  return (
    <section ref={ref} className="cost stack-s" aria-label="What it costs">
      {children}
    </section>
  );
}

interface PreviewedInvoice {
  readonly subtotal: number;
  readonly discount: number;
  readonly tax: number;
  readonly total: number;
}

interface PreviewedLinesProps {
  /** Each line by its words. */
  readonly lines: readonly { readonly text: ReactNode; readonly amount: number }[];
  /** What they come to; without it only the lines are shown. */
  readonly sums?: PreviewedInvoice;
  readonly money: (amount: number) => ReactNode;
}

const NO_SUMS: PreviewedInvoice = { subtotal: 0, discount: 0, tax: 0, total: 0 };

/** The lines of an invoice and what they come to. */
export function PreviewedLines({ lines, sums = NO_SUMS, money }: PreviewedLinesProps) {
  const { subtotal, discount, tax, total } = sums;
  const shown = [
    ['Subtotal', subtotal, subtotal !== total],
    ['Discounts', -discount, discount !== 0],
    ['Taxes', tax, tax !== 0],
    ['Total', total, sums !== NO_SUMS && (lines.length > 1 || subtotal !== total)],
  ] as const;
  return (
    <ul className="invoice-lines">
      {lines.map(({ text, amount }, index) => (
        // A preview does not change, and a line has no id.
        // eslint-disable-next-line react/no-array-index-key
        <li key={index}>
          <span dir="auto">{text}</span>
          {money(amount)}
        </li>
      ))}
      {shown.map(
        ([title, amount, isShown]) =>
          isShown && (
            <li key={title} className="muted">
              {title}
              {money(amount)}
            </li>
          ),
      )}
    </ul>
  );
}

interface BalanceUse {
  readonly creditApplied: number;
  readonly debitApplied: number;
  readonly carriedOver: number;
}

/** What the balance of the customer changes of an amount that is due, as rows of details. */
export const balanceRows = (
  { creditApplied, debitApplied, carriedOver }: BalanceUse,
  money: (amount: number) => ReactNode,
): Readonly<Record<string, ReactNode>> => ({
  'From the balance': creditApplied === 0 ? undefined : money(creditApplied),
  'Owed from before': debitApplied === 0 ? undefined : money(debitApplied),
  'Carried over': carriedOver === 0 ? undefined : <>{money(carriedOver)} with the next invoice: too little to charge</>,
});

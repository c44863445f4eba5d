import type { DunningTotals, PaymentTotals } from '@billing/client';
import { formatCount } from '#ui/amount.ts';
import { sumsOf } from '../failing-payments/dunning-sums.ts';
import { MoneyFigure } from './money-figure.tsx';

/** What is undefined is not loaded yet; what is null can't be. */
interface MoneyFiguresProps {
  readonly totals: PaymentTotals | undefined | null;
  readonly dunning: DunningTotals | undefined | null;
  readonly currency: string;
  readonly days: number;
  /** The first day of the window, in the reader's zone. */
  readonly since: string;
}

/** What customers have paid, what they owe, and what was paid after a payment had failed. */
export const MoneyFigures = ({ totals, dunning, currency, days, since }: MoneyFiguresProps) => (
  <>
    <MoneyFigure
      name="Collected"
      sums={totals && totals.collected}
      currency={currency}
      note={`in ${days} days, less refunds`}
      page="payments"
      search={{ from: since }}
    />
    <MoneyFigure
      name="Past due"
      sums={totals && totals.pastDue}
      currency={currency}
      note={invoicesOf(totals?.pastDue.reduce((sum, { count }) => sum + count, 0) ?? 0)}
      page="invoices"
      search={{ pastDue: 'true' }}
    />
    <MoneyFigure
      name="Recovered"
      sums={dunning && sumsOf(dunning, 'recovered')}
      currency={currency}
      note={`of payments that failed in ${days} days`}
      page="failing-payments"
      search={{ status: 'recovered', from: since }}
    />
  </>
);

function invoicesOf(count: number): string {
  if (count === 0) return 'no invoice is late';
  return count === 1 ? 'one invoice' : `${formatCount(count)} invoices`;
}

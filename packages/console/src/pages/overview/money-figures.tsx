import type { PaymentTotals } from '@billing/client';
import { useState } from 'react';
import { formatCount } from '#ui/amount.ts';
import { formatMoney } from '#ui/money.ts';
import { Skeleton } from '#ui/states.tsx';
import { Figure } from './figure.tsx';
import { localDayBefore } from './periods.ts';

type Totals = PaymentTotals['collected'];

interface MoneyFiguresProps {
  /** Undefined until it is loaded, null when it can't be. */
  readonly totals: PaymentTotals | undefined | null;
  readonly currency: string;
  readonly days: number;
}

/** What customers have paid, and what they owe. */
export function MoneyFigures({ totals, currency, days }: MoneyFiguresProps) {
  const [today] = useState(() => new Date());
  const shown = (of: Totals | undefined, noteOf: (sums: Totals) => string) => {
    if (of)
      return { value: formatMoney(amountIn(of, currency), currency), note: `${noteOf(of)}${others(of, currency)}` };
    return totals === null
      ? { value: '–', note: 'not available at present' }
      : { value: <Skeleton width="6rem" />, note: <Skeleton width="9rem" /> };
  };
  return (
    <>
      <Figure
        name="Collected"
        {...shown(totals?.collected, () => `in ${days} days, less refunds`)}
        page="payments"
        search={{ from: localDayBefore(today, days) }}
      />
      <Figure
        name="Past due"
        {...shown(totals?.pastDue, sums => invoicesOf(sums.reduce((sum, { count }) => sum + count, 0)))}
        page="invoices"
        search={{ pastDue: 'true' }}
      />
    </>
  );
}

const amountIn = (sums: Totals, currency: string): number => sums.find(it => it.currency === currency)?.amount ?? 0;

const others = (sums: Totals, currency: string): string =>
  sums
    .filter(it => it.currency !== currency)
    .map(it => ` · ${formatMoney(it.amount, it.currency)}`)
    .join('');

function invoicesOf(count: number): string {
  if (count === 0) return 'no invoice is late';
  return count === 1 ? 'one invoice' : `${formatCount(count)} invoices`;
}

import type { WholeInvoice } from '@billing/client';
import { Card } from '#layout/page.tsx';
import { Details } from '#ui/details.tsx';
import { formatMoney } from '#ui/money.ts';
import { Skeleton } from '#ui/states.tsx';
import { INVOICE_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { InvoiceLinks } from './invoice-actions.tsx';

interface AmountsProps {
  readonly invoice: WholeInvoice;
  /** Undefined until it is known. */
  readonly lastFailure: string | undefined;
}

/** Says what a tax is: “€4.79, included: standard rated”. */
const describeTax = ({ amount, inclusive, reason }: WholeInvoice['taxes'][number], currency: string): string =>
  `${formatMoney(amount, currency)}${inclusive ? ', included' : ''}${reason ? `: ${reason.replaceAll('_', ' ')}` : ''}`;

/** What an invoice amounts to, and how far it is paid. */
export function Amounts({ invoice, lastFailure }: AmountsProps) {
  const { status, subtotal, discount, taxes, total, amountDue, amountPaid, amountRemaining, currency } = invoice;
  const money = (amount: number) => <span className="num">{formatMoney(amount, currency)}</span>;
  return (
    <Card
      title="Amounts"
      actions={
        <span className="row">
          <InvoiceLinks invoice={invoice} inWords />
        </span>
      }
    >
      <Details
        of={{
          Status: <StatusBadge of={INVOICE_STATUS[status]} />,
          Subtotal: subtotal === null ? null : money(subtotal),
          Discount: discount ? money(0 - discount) : null,
          Tax: taxes.length === 0 ? null : taxes.map((tax, at) => <div key={at}>{describeTax(tax, currency)}</div>),
          Total: total === null ? null : money(total),
          Due: money(amountDue),
          Paid: money(amountPaid),
          Remaining: money(amountRemaining),
          'Last failure':
            status === 'open' && amountDue > 0 ? <bdi>{lastFailure ?? <Skeleton width="10rem" />}</bdi> : undefined,
        }}
      />
    </Card>
  );
}

import type { Payment } from '@billing/client';
import type { Column } from '#layout/list-table.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatMoney } from '#ui/money.ts';
import { methodText } from '#ui/payment-method.ts';
import { PAYMENT_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { PaymentActions } from './payment-actions.tsx';

export const PAYMENT_COLUMNS: readonly Column<Payment>[] = [
  { title: 'Status', width: 124, cell: ({ status }) => <StatusBadge of={PAYMENT_STATUS[status]} /> },
  {
    title: 'Method',
    width: 132,
    cell: ({ paymentMethod }) => <span className="num">{methodText(paymentMethod)}</span>,
  },
  {
    title: 'Reason',
    cell: ({ failureMessage, amountRefunded, currency }) =>
      failureMessage ?? (amountRefunded > 0 ? `${formatMoney(amountRefunded, currency)} refunded` : ''),
  },
  {
    title: 'Date',
    width: 'time',
    cell: ({ createdAt }) => <Time at={createdAt} show="time" />,
  },
  {
    title: 'Amount',
    width: 'money',
    end: true,
    cell: ({ id, amount, currency }) => (
      <ProjectLink page={`payments/${id}`} className="num">
        {formatMoney(amount, currency)}
      </ProjectLink>
    ),
  },
  { title: 'Actions', width: 120, end: true, cell: payment => <PaymentActions payment={payment} /> },
];

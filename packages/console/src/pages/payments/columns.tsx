import type { Payment } from '@billing/client';
import type { Column } from '#layout/list-table.tsx';
import { formatMoney } from '#ui/money.ts';
import { methodText } from '#ui/payment-method.ts';
import { PAYMENT_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { PaymentActions } from './payment-actions.tsx';

export const paymentCustomer: Column<Payment> = {
  title: 'Customer',
  cell: ({ customerId }) => <CustomerLink id={customerId} />,
};

export const PAYMENT_COLUMNS: readonly Column<Payment>[] = [
  { title: 'Status', cell: ({ status }) => <StatusBadge of={PAYMENT_STATUS[status]} /> },
  { title: 'Method', cell: ({ paymentMethod }) => <span className="num">{methodText(paymentMethod)}</span> },
  {
    title: 'Reason',
    cell: ({ failureMessage, amountRefunded, currency }) =>
      failureMessage ?? (amountRefunded > 0 ? `${formatMoney(amountRefunded, currency)} refunded` : ''),
  },
  {
    title: 'Date',
    cell: ({ createdAt }) => <Time at={createdAt} show="time" />,
  },
  {
    title: 'Amount',
    end: true,
    cell: ({ amount, currency }) => <span className="num">{formatMoney(amount, currency)}</span>,
  },
  { title: 'Actions', end: true, cell: payment => <PaymentActions payment={payment} /> },
];

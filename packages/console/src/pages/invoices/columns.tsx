import type { Invoice } from '@billing/client';
import type { Column } from '#layout/list-table.tsx';
import { formatMoney } from '#ui/money.ts';
import { INVOICE_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { InvoiceActions, InvoiceLinks } from './invoice-actions.tsx';

export const invoiceCustomer: Column<Invoice> = {
  title: 'Customer',
  cell: ({ customerId }) => <CustomerLink id={customerId} />,
};

export const INVOICE_COLUMNS: readonly Column<Invoice>[] = [
  { title: 'Number', cell: ({ number, id }) => <code>{number ?? id.slice(0, 14)}</code> },
  { title: 'Status', cell: ({ status }) => <StatusBadge of={INVOICE_STATUS[status]} /> },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Paid', cell: ({ paidAt }) => <Time at={paidAt} /> },
  {
    title: 'Amount',
    end: true,
    cell: ({ amountDue, currency }) => <span className="num">{formatMoney(amountDue, currency)}</span>,
  },
  {
    title: 'Document',
    end: true,
    cell: invoice => <InvoiceLinks invoice={invoice} />,
  },
  { title: 'Actions', end: true, cell: invoice => <InvoiceActions invoice={invoice} /> },
];

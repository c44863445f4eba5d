import type { Invoice } from '@billing/client';
import type { Column } from '#layout/list-table.tsx';
import { moneyColumn } from '#resource/tables.tsx';
import { INVOICE_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { InvoiceActions } from './invoice-actions.tsx';
import { InvoiceLink } from './invoice-link.tsx';

export const INVOICE_COLUMNS: readonly Column<Invoice>[] = [
  { title: 'Number', width: 130, cell: ({ id, number }) => <InvoiceLink id={id} number={number} /> },
  { title: 'Status', width: 120, cell: ({ status }) => <StatusBadge of={INVOICE_STATUS[status]} /> },
  { title: 'Created', width: 'date', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Paid', width: 'date', isSpare: true, cell: ({ paidAt }) => <Time at={paidAt} /> },
  moneyColumn('Amount', ({ amountDue }) => amountDue),
  { title: 'Actions', width: 263, end: true, cell: invoice => <InvoiceActions invoice={invoice} /> },
];

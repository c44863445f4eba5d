import type { Payment } from '@billing/client';
import { useMemo } from 'react';
import { type ProjectScope, useProject } from '#api/project.ts';
import { SearchFilter, SelectFilter, useFilters } from '#layout/filters.tsx';
import { ListFilters, useListFilters } from '#layout/list-filters.tsx';
import { exportedColumn, ListPage, sortedBy } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { EmptyState } from '#ui/states.tsx';
import { PAYMENT_STATUS } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { customerColumn } from '../customers/customer-name.tsx';
import { amountColumn, currencyColumn, customerColumns, productFinder } from '../exported-columns.ts';
import { InvoiceIdLink } from '../invoices/invoice-link.tsx';
import { PAYMENT_COLUMNS } from './columns.tsx';

const INVOICE: Column<Payment> = {
  title: 'Invoice',
  width: 140,
  cell: ({ invoiceId }) => <InvoiceIdLink id={invoiceId} />,
};
/** Without the time of day, for want of room; the pages of payments have it. */
const DATE: Column<Payment> = { title: 'Date', width: 'date', cell: ({ createdAt }) => <Time at={createdAt} /> };
const COLUMNS = sortedBy('Date', [
  customerColumn,
  ...PAYMENT_COLUMNS.flatMap(column => (column.title === 'Date' ? [INVOICE, DATE] : [column])),
]);

const COLLECTED = { true: { name: 'Collected' } };

export function PaymentsPage() {
  const scope = useProject();
  const filters = useFilters();
  const { shown, isFiltered } = useListFilters();
  const status = filters.oneOf('status', PAYMENT_STATUS);
  const collected = filters.oneOf('collected', COLLECTED) ? true : undefined;
  const search = filters.text('search') || undefined;
  const wanted = { ...shown, status, collected, search };
  const isChosen = isFiltered || [status, collected, search].some(Boolean);
  return (
    <ListPage
      title="Payments"
      lead="What was paid, refunded and disputed."
      nouns={['payment', 'payments']}
      exported={{ name: 'payments', columns: useMemo(() => exportedColumns(scope), [scope]) }}
      filters={
        <>
          <SearchFilter name="search" label="Customer or amount" />
          <SelectFilter name="status" label="Status" options={PAYMENT_STATUS} all="All statuses" />
          <SelectFilter name="collected" label="Money" options={COLLECTED} all="Collected or not" />
          <ListFilters />
        </>
      }
      queryKey={scope.key('payments', wanted)}
      list={(page, signal) => scope.billing.payments.list({ ...wanted, ...page }, { signal })}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      empty={
        <EmptyState icon="payments" title={isChosen ? 'No payment matches' : 'No payments yet'}>
          {isChosen
            ? 'Choose other filters to see more.'
            : 'Each charge of a customer appears here, also those that failed.'}
        </EmptyState>
      }
    />
  );
}

function exportedColumns(scope: ProjectScope): readonly Column<Payment>[] {
  const products = productFinder(scope);
  return [
    exportedColumn('Id', ({ id }) => id),
    exportedColumn('Status', ({ status }) => status),
    ...customerColumns<Payment>(scope),
    exportedColumn('Product', ({ invoiceId }) => products.ofInvoice(invoiceId)),
    amountColumn('Amount', ({ amount }) => amount),
    amountColumn('Refunded', ({ amountRefunded }) => amountRefunded),
    currencyColumn(),
    exportedColumn('Date', ({ createdAt }) => createdAt),
    exportedColumn('Method', ({ paymentMethod }) => paymentMethod?.type),
    exportedColumn('Brand', ({ paymentMethod }) => paymentMethod?.brand),
    exportedColumn('Last four', ({ paymentMethod }) => paymentMethod?.last4),
    exportedColumn('Bank', ({ paymentMethod }) => paymentMethod?.bankName),
    exportedColumn('Bank country', ({ paymentMethod }) => paymentMethod?.country),
    exportedColumn('Account', ({ paymentMethod }) => paymentMethod?.account),
    exportedColumn('Reason', ({ failureCode }) => failureCode),
    exportedColumn('Invoice', ({ invoiceId }) => products.invoiceNumber(invoiceId)),
    exportedColumn('Stripe payment intent', ({ processorPaymentIntentId }) => processorPaymentIntentId),
    exportedColumn('Stripe charge', ({ processorChargeId }) => processorChargeId),
  ];
}

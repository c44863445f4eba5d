import type { Invoice } from '@billing/client';
import { lazyRouteComponent } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useProject, type ProjectScope } from '#api/project.ts';
import { SearchFilter, SelectFilter, useFilters } from '#layout/filters.tsx';
import { ListFilters, useListFilters } from '#layout/list-filters.tsx';
import { exportedColumn, ListPage, sortedBy } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { useCreate } from '#resource/dialog-button.tsx';
import { formatMoney } from '#ui/money.ts';
import { EmptyState } from '#ui/states.tsx';
import { INVOICE_STATUS } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { customerColumn } from '../customers/customer-name.tsx';
import { amountColumn, currencyColumn, customerColumns, productFinder } from '../exported-columns.ts';
import { INVOICE_COLUMNS } from './columns.tsx';

const NewInvoiceDialog = lazyRouteComponent(() => import('./new-invoice-dialog.tsx'), 'NewInvoiceDialog');

/** The status says which of them it is; a column for each would leave no room for a table. */
const DUE_OR_PAID: Column<Invoice> = {
  title: 'Due or paid',
  width: 'date',
  isSpare: true,
  cell: ({ dueDate, paidAt }) => <Time at={paidAt ?? dueDate} />,
};
const REMAINING: Column<Invoice> = {
  title: 'Remaining',
  width: 'money',
  isSpare: true,
  end: true,
  cell: ({ amountRemaining, currency, status }) => (
    <span className="num">
      {status === 'open' || status === 'uncollectible' ? formatMoney(amountRemaining, currency) : '–'}
    </span>
  ),
};
const COLUMNS = sortedBy('Created', [
  customerColumn,
  ...INVOICE_COLUMNS.flatMap(column => {
    if (column.title === 'Paid') return [DUE_OR_PAID];
    return column.title === 'Amount' ? [column, REMAINING] : [column];
  }),
]);
const PAST_DUE = { true: { name: 'Past due' } };

export function InvoicesPage() {
  const scope = useProject();
  const filters = useFilters();
  const { shown, isFiltered } = useListFilters();
  const status = filters.oneOf('status', INVOICE_STATUS);
  const search = filters.text('search') || undefined;
  const pastDue = filters.oneOf('pastDue', PAST_DUE) ? true : undefined;
  const wanted = { ...shown, status, search, pastDue };
  const create = useCreate('New invoice', <NewInvoiceDialog />);
  const isChosen = isFiltered || [status, search, pastDue].some(Boolean);
  return (
    <ListPage
      title="Invoices"
      lead="What Stripe has billed."
      actions={create.button}
      nouns={['invoice', 'invoices']}
      exported={{ name: 'invoices', columns: useMemo(() => exportedColumns(scope), [scope]) }}
      filters={
        <>
          <SearchFilter name="search" label="Customer, amount, number" />
          <SelectFilter name="status" label="Status" options={INVOICE_STATUS} all="All statuses" />
          <SelectFilter name="pastDue" label="Due" options={PAST_DUE} all="Due or not" />
          <ListFilters />
        </>
      }
      queryKey={scope.key('invoices', wanted)}
      list={(page, signal) => scope.billing.invoices.list({ ...wanted, ...page }, { signal })}
      columns={COLUMNS}
      rowKey={invoice => invoice.id}
      empty={
        <EmptyState
          icon="invoices"
          title={isChosen ? 'No invoice matches' : 'No invoices yet'}
          action={isChosen ? undefined : create.button}
        >
          {isChosen
            ? 'Choose other filters to see more.'
            : 'Stripe makes an invoice for each period of a subscription, and you make one to bill something once.'}
        </EmptyState>
      }
    >
      {create.dialog}
    </ListPage>
  );
}

function exportedColumns(scope: ProjectScope): readonly Column<Invoice>[] {
  const products = productFinder(scope);
  return [
    exportedColumn('Id', ({ id }) => id),
    exportedColumn('Number', ({ number }) => number),
    exportedColumn('Status', ({ status }) => status),
    ...customerColumns<Invoice>(scope),
    exportedColumn('Product', ({ subscriptionId }) => products.ofSubscription(subscriptionId)),
    amountColumn('Amount', ({ amountDue }) => amountDue),
    amountColumn('Paid amount', ({ amountPaid }) => amountPaid),
    amountColumn('Remaining', ({ amountRemaining }) => amountRemaining),
    currencyColumn(),
    exportedColumn('Created', ({ createdAt }) => createdAt),
    exportedColumn('Due', ({ dueDate }) => dueDate),
    exportedColumn('Paid', ({ paidAt }) => paidAt),
    exportedColumn('Subscription id', ({ subscriptionId }) => subscriptionId),
    exportedColumn('Stripe id', ({ processorInvoiceId }) => processorInvoiceId),
  ];
}

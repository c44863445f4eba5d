import type { Invoice } from '@billing/client';
import { useProject } from '#api/project.ts';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { exportedColumn, ListPage } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { EmptyState } from '#ui/states.tsx';
import { INVOICE_STATUS } from '#ui/statuses.tsx';
import { INVOICE_COLUMNS, invoiceCustomer } from './columns.tsx';

const COLUMNS = [invoiceCustomer, ...INVOICE_COLUMNS.map(it => (it.title === 'Number' ? { ...it, wide: true } : it))];
const EXPORTED: readonly Column<Invoice>[] = [
  exportedColumn('Id', ({ id }) => id),
  ...COLUMNS,
  exportedColumn('Currency', ({ currency }) => currency),
  exportedColumn('Stripe id', ({ processorInvoiceId }) => processorInvoiceId),
];

export function InvoicesPage() {
  const { billing, key } = useProject();
  const status = useFilters().oneOf('status', INVOICE_STATUS);
  const list = (page: { limit: number; offset: number }, signal: AbortSignal) =>
    billing.invoices.list({ status, ...page }, { signal });
  return (
    <ListPage
      title="Invoices"
      lead="What Stripe has billed."
      exported={{ name: 'invoices', columns: EXPORTED }}
      filters={<SelectFilter name="status" label="Status" options={INVOICE_STATUS} all="All statuses" />}
      queryKey={key('invoices', { status })}
      list={list}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      empty={
        <EmptyState icon="invoices" title={status ? 'No invoice matches' : 'No invoices yet'}>
          {status ? 'Choose another status to see more.' : 'Stripe makes an invoice for each period of a subscription.'}
        </EmptyState>
      }
    />
  );
}

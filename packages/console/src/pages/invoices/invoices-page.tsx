import type { Invoice } from '@billing/client';
import { useProject } from '#api/project.ts';
import { ExportButton } from '#layout/export-button.tsx';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { ListTable, type Column } from '#layout/list-table.tsx';
import { Card, Page } from '#layout/page.tsx';
import { EmptyState } from '#ui/states.tsx';
import { INVOICE_STATUS } from '#ui/statuses.tsx';
import { INVOICE_COLUMNS, invoiceCustomer } from './columns.tsx';

const COLUMNS = [invoiceCustomer, ...INVOICE_COLUMNS.map(it => (it.title === 'Number' ? { ...it, wide: true } : it))];
const EXPORTED: readonly Column<Invoice>[] = [
  { title: 'Id', cell: () => null, csv: ({ id }) => id },
  ...COLUMNS,
  { title: 'Currency', cell: () => null, csv: ({ currency }) => currency },
  { title: 'Stripe id', cell: () => null, csv: ({ processorInvoiceId }) => processorInvoiceId },
];

export function InvoicesPage() {
  const { billing, key } = useProject();
  const status = useFilters().oneOf('status', INVOICE_STATUS);
  const list = (page: { limit: number; offset: number }, signal: AbortSignal) =>
    billing.invoices.list({ status, ...page }, { signal });
  return (
    <Page
      title="Invoices"
      lead="What Stripe has billed."
      actions={<ExportButton name="invoices" columns={EXPORTED} list={list} />}
    >
      <div className="filters">
        <SelectFilter name="status" label="Status" options={INVOICE_STATUS} all="All statuses" />
      </div>
      <Card flush>
        <ListTable
          label="Invoices"
          queryKey={key('invoices', { status })}
          list={list}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          empty={
            <EmptyState icon="invoices" title={status ? 'No invoice matches' : 'No invoices yet'}>
              {status
                ? 'Choose another status to see more.'
                : 'Stripe makes an invoice for each period of a subscription.'}
            </EmptyState>
          }
        />
      </Card>
    </Page>
  );
}

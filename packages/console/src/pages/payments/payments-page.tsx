import type { Payment } from '@billing/client';
import { useProject } from '#api/project.ts';
import { ExportButton } from '#layout/export-button.tsx';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { ListTable, type Column } from '#layout/list-table.tsx';
import { Card, Page } from '#layout/page.tsx';
import { EmptyState } from '#ui/states.tsx';
import { PAYMENT_STATUS } from '#ui/statuses.tsx';
import { PAYMENT_COLUMNS, paymentCustomer } from './columns.tsx';

const COLUMNS = [paymentCustomer, ...PAYMENT_COLUMNS];
const EXPORTED: readonly Column<Payment>[] = [
  { title: 'Id', cell: () => null, csv: ({ id }) => id },
  ...COLUMNS,
  { title: 'Refunded', cell: () => null, csv: ({ amountRefunded }) => amountRefunded },
  { title: 'Currency', cell: () => null, csv: ({ currency }) => currency },
];

export function PaymentsPage() {
  const { billing, key } = useProject();
  const status = useFilters().oneOf('status', PAYMENT_STATUS);
  const list = (page: { limit: number; offset: number }, signal: AbortSignal) =>
    billing.payments.list({ status, ...page }, { signal });
  return (
    <Page
      title="Payments"
      lead="What was paid, refunded and disputed."
      actions={<ExportButton name="payments" columns={EXPORTED} list={list} />}
    >
      <div className="filters">
        <SelectFilter name="status" label="Status" options={PAYMENT_STATUS} all="All statuses" />
      </div>
      <Card flush>
        <ListTable
          label="Payments"
          queryKey={key('payments', { status })}
          list={list}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          empty={
            <EmptyState icon="payments" title={status ? 'No payment matches' : 'No payments yet'}>
              {status
                ? 'Choose another status to see more.'
                : 'Each charge of a customer appears here, also those that failed.'}
            </EmptyState>
          }
        />
      </Card>
    </Page>
  );
}

import type { Payment } from '@billing/client';
import { useProject } from '#api/project.ts';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { exportedColumn, ListPage } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { EmptyState } from '#ui/states.tsx';
import { PAYMENT_STATUS } from '#ui/statuses.tsx';
import { PAYMENT_COLUMNS, paymentCustomer } from './columns.tsx';

const COLUMNS = [paymentCustomer, ...PAYMENT_COLUMNS];
const EXPORTED: readonly Column<Payment>[] = [
  exportedColumn('Id', ({ id }) => id),
  ...COLUMNS,
  exportedColumn('Refunded', ({ amountRefunded }) => amountRefunded),
  exportedColumn('Currency', ({ currency }) => currency),
];

export function PaymentsPage() {
  const { billing, key } = useProject();
  const status = useFilters().oneOf('status', PAYMENT_STATUS);
  const list = (page: { limit: number; offset: number }, signal: AbortSignal) =>
    billing.payments.list({ status, ...page }, { signal });
  return (
    <ListPage
      title="Payments"
      lead="What was paid, refunded and disputed."
      exported={{ name: 'payments', columns: EXPORTED }}
      filters={<SelectFilter name="status" label="Status" options={PAYMENT_STATUS} all="All statuses" />}
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
  );
}

import type { Customer } from '@billing/client';
import { useMemo, useState } from 'react';
import { findCustomerMetrics } from '#api/customer-metrics.ts';
import { customerTitle } from '#api/customer-names.ts';
import { useProject, type ProjectScope } from '#api/project.ts';
import { SearchFilter, useFilters } from '#layout/filters.tsx';
import { ListFilters, useListFilters } from '#layout/list-filters.tsx';
import { exportedColumn, ListPage, sortedBy } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { Button } from '#ui/button.tsx';
import { decimalText } from '#ui/money.ts';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { loadOnce } from '../exported-columns.ts';
import { CustomerDialog } from './customer-dialog.tsx';
import { CustomerRevenue, CustomerStatus } from './customer-metrics.tsx';

const COLUMNS = sortedBy<Customer>('Created', [
  {
    title: 'Customer',
    cell: customer => (
      <ProjectLink page={`customers/${customer.id}`} className="primary-cell">
        <bdi>{customerTitle(customer)}</bdi>
      </ProjectLink>
    ),
  },
  { title: 'E-mail', cell: ({ email }) => email },
  { title: 'Status', cell: ({ id }) => <CustomerStatus id={id} /> },
  { title: 'MRR', end: true, cell: ({ id }) => <CustomerRevenue id={id} /> },
  {
    title: 'External id',
    cell: ({ externalId }) => externalId ?? <span className="muted">–</span>,
  },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
]);

export function CustomersPage() {
  const scope = useProject();
  const filters = useFilters();
  const [creating, setCreating] = useState(false);
  const search = filters.text('search') || undefined;
  const { shown, isFiltered } = useListFilters();
  const wanted = { ...shown, search };
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      New customer
    </Button>
  );
  return (
    <ListPage
      title="Customers"
      lead="Who pays you. Each is linked to a customer in Stripe."
      actions={create}
      nouns={['customer', 'customers']}
      exported={{ name: 'customers', columns: useMemo(() => exportedColumns(scope), [scope]) }}
      filters={
        <>
          <SearchFilter name="search" label="Search by name, e-mail or external id" />
          <ListFilters />
        </>
      }
      queryKey={scope.key('customers', wanted)}
      list={(page, signal) => scope.billing.customers.list({ ...wanted, ...page }, { signal })}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      empty={
        search || isFiltered ? (
          <EmptyState icon="search" title="Nobody matches">
            {search
              ? `No name, e-mail address or external id contains “${search}”.`
              : 'Choose other filters to see more.'}
          </EmptyState>
        ) : (
          <EmptyState icon="customers" title="No customers yet" action={create}>
            Your backend creates a customer when someone signs up to your product. Someone whom Stripe already knows by
            e-mail is linked, with their subscriptions and invoices.
          </EmptyState>
        )
      }
    >
      {creating && <CustomerDialog onClose={() => setCreating(false)} />}
    </ListPage>
  );
}

function exportedColumns(scope: ProjectScope): readonly Column<Customer>[] {
  const metricsOf = loadOnce(scope, 'customer-metrics', findCustomerMetrics);
  const revenueOf = async ({ id }: Customer) => (await metricsOf(id))?.mrr ?? [];
  return [
    exportedColumn('Id', ({ id }) => id),
    exportedColumn('Customer', ({ name }) => name),
    exportedColumn('E-mail', ({ email }) => email),
    exportedColumn('External id', ({ externalId }) => externalId),
    exportedColumn('Status', async ({ id }) => (await metricsOf(id))?.status),
    exportedColumn('MRR', async customer =>
      (await revenueOf(customer)).map(it => decimalText(Math.round(Number(it.amount)), it.currency)).join('; '),
    ),
    exportedColumn('MRR currency', async customer =>
      (await revenueOf(customer)).map(({ currency }) => currency.toUpperCase()).join('; '),
    ),
    exportedColumn('Created', ({ createdAt }) => createdAt),
    exportedColumn('Stripe id', ({ processorCustomerId }) => processorCustomerId),
  ];
}

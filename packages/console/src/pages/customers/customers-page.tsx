import type { Customer } from '@billing/client';
import { useState } from 'react';
import { customerTitle } from '#api/customer-names.ts';
import { useProject } from '#api/project.ts';
import { SearchFilter, useFilters } from '#layout/filters.tsx';
import { exportedColumn, ListPage } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerDialog } from './customer-dialog.tsx';

const COLUMNS: readonly Column<Customer>[] = [
  {
    title: 'Customer',
    cell: customer => (
      <ProjectLink page={`customers/${customer.id}`} className="primary-cell">
        <bdi>{customerTitle(customer)}</bdi>
      </ProjectLink>
    ),
    csv: ({ name }) => name,
  },
  { title: 'E-mail', cell: ({ email }) => email, csv: ({ email }) => email },
  {
    title: 'External id',
    wide: true,
    cell: ({ externalId }) => externalId ?? <span className="muted">–</span>,
    csv: ({ externalId }) => externalId,
  },
  { title: 'Created', wide: true, cell: ({ createdAt }) => <Time at={createdAt} />, csv: ({ createdAt }) => createdAt },
];

const EXPORTED: readonly Column<Customer>[] = [
  exportedColumn('Id', ({ id }) => id),
  ...COLUMNS,
  exportedColumn('Stripe id', ({ processorCustomerId }) => processorCustomerId),
];

export function CustomersPage() {
  const { billing, key } = useProject();
  const filters = useFilters();
  const [creating, setCreating] = useState(false);
  const search = filters.text('search') || undefined;
  const list = (page: { limit: number; offset: number }, signal: AbortSignal) =>
    billing.customers.list({ search, ...page }, { signal });
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
      exported={{ name: 'customers', columns: EXPORTED }}
      filters={<SearchFilter name="search" label="Search by name, e-mail or external id" />}
      queryKey={key('customers', { search })}
      list={list}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      empty={
        search ? (
          <EmptyState icon="search" title="Nobody matches">
            No name, e-mail address or external id contains “{search}”.
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

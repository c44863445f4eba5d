import { useQuery } from '@tanstack/react-query';
import { Fragment, useMemo } from 'react';
import { findCustomerMetrics } from '#api/customer-metrics.ts';
import { customerTitle } from '#api/customer-names.ts';
import { type ProjectScope, useProject } from '#api/project.ts';
import { productsQuery } from '#api/queries.ts';
import { SearchFilter, SelectFilter, useFilters } from '#layout/filters.tsx';
import { ListFilters, useListFilters } from '#layout/list-filters.tsx';
import { exportedColumn, ListPage, sortedBy } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { linkColumn } from '#resource/tables.tsx';
import { useCreate } from '#resource/dialog-button.tsx';
import { decimalText } from '#ui/money.ts';
import { EmptyState, Skeleton } from '#ui/states.tsx';
import { StatusBadge, SUBSCRIPTION_STATUS } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { loadOnce } from '../exported-columns.ts';
import { customersByMrr, type ListedCustomer, useMrrFilters } from './by-mrr.ts';
import { CustomerDialog } from './customer-dialog.tsx';
import { revenueText, useCustomerMetrics } from './customer-metrics.ts';

const COLUMNS: readonly Column<ListedCustomer>[] = [
  linkColumn('Customer', ({ id }) => `customers/${id}`, customerTitle),
  { title: 'E-mail', least: 210, cell: ({ email }) => email },
  { title: 'Status', width: 'status', cell: ({ id }) => <CustomerStatus id={id} /> },
  { title: 'MRR', width: 'money', end: true, cell: ({ id }) => <CustomerRevenue id={id} /> },
  {
    title: 'External id',
    width: 150,
    isSpare: true,
    cell: ({ externalId }) => externalId ?? <span className="muted">–</span>,
  },
  { title: 'Created', width: 'date', cell: ({ createdAt }) => <Time at={createdAt} /> },
];
const COLUMNS_BY_TIME = sortedBy('Created', COLUMNS);

const ORDERS = { oldest: { name: 'Oldest' }, mrr: { name: 'Highest MRR' } } as const;

export function CustomersPage() {
  const scope = useProject();
  const filters = useFilters();
  const isByMrr = filters.oneOf('order', ORDERS) === 'mrr';
  const search = filters.text('search') || undefined;
  const byTime = useListFilters();
  const byMrr = useMrrFilters();
  const wanted = isByMrr ? byMrr.wanted : { ...byTime.shown, search };
  const create = useCreate('New customer', <CustomerDialog />);
  return (
    <ListPage<ListedCustomer>
      title="Customers"
      lead="Who pays you. Each has a customer in Stripe."
      actions={create.button}
      nouns={['customer', 'customers']}
      exported={{ name: 'customers', columns: useMemo(() => exportedColumns(scope), [scope]) }}
      filters={
        <>
          <SelectFilter name="order" label="Order" options={ORDERS} all="Newest" />
          {isByMrr ? (
            <MrrFilters />
          ) : (
            <>
              <SearchFilter name="search" label="Search by name, e-mail or external id" />
              <ListFilters />
            </>
          )}
        </>
      }
      queryKey={scope.key('customers', isByMrr, wanted)}
      list={(page, signal) =>
        isByMrr
          ? customersByMrr(scope, byMrr.wanted, page, signal)
          : scope.billing.customers.list({ ...byTime.shown, search, ...page }, { signal })
      }
      columns={isByMrr ? COLUMNS : COLUMNS_BY_TIME}
      rowKey={({ id }) => id}
      empty={
        isByMrr || search || byTime.isFiltered ? (
          <EmptyState icon="search" title="Nobody matches">
            {search && !isByMrr
              ? `No name, e-mail address or external id contains “${search}”.`
              : 'Choose other filters or another order to see more.'}
          </EmptyState>
        ) : (
          <EmptyState icon="customers" title="No customers yet" action={create.button}>
            Your backend creates a customer when someone signs up to your product. Someone whom Stripe already knows by
            e-mail is linked, with their subscriptions and invoices.
          </EmptyState>
        )
      }
    >
      {create.dialog}
      <BySubscription />
      {isByMrr && byMrr.problem && <p role="alert">{byMrr.problem}</p>}
    </ListPage>
  );
}

function MrrFilters() {
  const { data: products = [] } = useQuery(productsQuery(useProject()));
  const options = Object.fromEntries(products.map(product => [product.id, product]));
  return (
    <>
      <SelectFilter name="productId" label="Product" options={options} all="All products" />
      <SearchFilter name="minMrr" label="MRR from" />
      <SearchFilter name="maxMrr" label="MRR up to" />
    </>
  );
}

const STATUSES = ['active', 'trialing', 'past_due', 'canceled'] as const;

/** Leads to lists that have both customers and what only their subscriptions know. */
const BySubscription = () => (
  <p className="row muted">
    <span>
      By status:
      {STATUSES.map((status, index) => (
        <Fragment key={status}>
          {index === 0 ? ' ' : ' · '}
          <ProjectLink page="subscriptions" search={{ status }}>
            {SUBSCRIPTION_STATUS[status].name}
          </ProjectLink>
        </Fragment>
      ))}
    </span>
  </p>
);

function exportedColumns(scope: ProjectScope): readonly Column<ListedCustomer>[] {
  const metricsOf = loadOnce(scope, 'customer-metrics', findCustomerMetrics);
  const revenueOf = async ({ id }: ListedCustomer) => (await metricsOf(id))?.mrr ?? [];
  return [
    exportedColumn('Id', ({ id }) => id),
    exportedColumn('Customer', ({ name }) => name),
    exportedColumn('E-mail', ({ email }) => email),
    exportedColumn('External id', ({ externalId }) => externalId),
    exportedColumn('Status', async ({ id }) => (await metricsOf(id))?.status),
    exportedColumn('MRR', async customer => ({
      decimals: (await revenueOf(customer)).map(it => decimalText(Math.round(Number(it.amount)), it.currency)),
    })),
    exportedColumn('MRR currency', async customer =>
      (await revenueOf(customer)).map(({ currency }) => currency.toUpperCase()).join('; '),
    ),
    exportedColumn('Created', ({ createdAt }) => createdAt),
    exportedColumn('Stripe id', ({ processorCustomerId }) => processorCustomerId),
  ];
}

/** The best status of a customer's subscriptions; a dash for a customer who never had one. */
function CustomerStatus({ id }: { readonly id: string }) {
  const { data, isPending } = useCustomerMetrics(id);
  if (isPending) return <Skeleton width="4rem" />;
  return data?.status ? <StatusBadge of={SUBSCRIPTION_STATUS[data.status]} /> : <span className="muted">–</span>;
}

/** What a customer adds to the monthly revenue, in each currency. */
function CustomerRevenue({ id }: { readonly id: string }) {
  const { data, isPending } = useCustomerMetrics(id);
  if (isPending) return <Skeleton width="4rem" />;
  return <span className="num">{revenueText(data?.mrr ?? [])}</span>;
}

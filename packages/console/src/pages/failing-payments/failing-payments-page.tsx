import { useMemo } from 'react';
import type { DunningCase } from '@billing/client';
import { useProject, type ProjectScope } from '#api/project.ts';
import { SinceFilter, useDateRange } from '#layout/date-range.tsx';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { exportedColumn, ListPage } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { formatCount } from '#ui/amount.ts';
import { formatMoney } from '#ui/money.ts';
import { EmptyState } from '#ui/states.tsx';
import { DUNNING_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { amountColumn, currencyColumn, customerColumns, productFinder } from '../exported-columns.ts';
import { SubscriptionIdLink } from '../products/product-name.tsx';
import { CaseActions } from './case-actions.tsx';
import { DunningFigures } from './dunning-figures.tsx';
import { describeFailedPayment } from './failure-words.ts';

const COLUMNS: readonly Column<DunningCase>[] = [
  { title: 'Customer', cell: ({ customerId }) => <CustomerLink id={customerId} /> },
  { title: 'Product', cell: ({ subscriptionId }) => <SubscriptionIdLink id={subscriptionId} /> },
  { title: 'Status', cell: ({ status }) => <StatusBadge of={DUNNING_STATUS[status]} /> },
  { title: 'Since', cell: ({ failedAt }) => <Time at={failedAt} /> },
  {
    title: 'Why',
    cell: ({ lastFailure, attempts }) => (
      <>
        <bdi>{describeFailedPayment(lastFailure)}</bdi>
        {attempts > 1 && ` ${formatCount(attempts)} attempts`}
      </>
    ),
  },
  { title: 'Next try, or end', cell: ({ nextRetryAt, endedAt }) => <Time at={endedAt ?? nextRetryAt} /> },
  {
    title: 'Amount',
    end: true,
    cell: ({ amountDue, currency }) => <span className="num">{formatMoney(amountDue, currency)}</span>,
  },
  { title: 'Actions', end: true, cell: failing => <CaseActions failing={failing} /> },
];

/** Invoices of subscriptions whose payment failed, and what became of them. */
export function FailingPaymentsPage() {
  const scope = useProject();
  const status = useFilters().oneOf('status', DUNNING_STATUS);
  const since = useDateRange().createdAfter;
  const wanted = { status, since };
  return (
    <ListPage
      title="Failing payments"
      lead="Invoices of subscriptions whose payment failed. Stripe tries again by itself, as its settings say."
      nouns={['invoice', 'invoices']}
      exported={{ name: 'failing-payments', columns: useMemo(() => exportedColumns(scope), [scope]) }}
      filters={
        <>
          <SelectFilter name="status" label="Status" options={DUNNING_STATUS} all="All statuses" />
          <SinceFilter />
        </>
      }
      queryKey={scope.key('dunning', wanted)}
      list={(page, signal) => scope.billing.dunning.list({ ...wanted, ...page }, { signal })}
      columns={COLUMNS}
      rowKey={({ invoiceId }) => invoiceId}
      empty={
        status || since ? (
          <EmptyState icon="search" title="No payment matches">
            Choose other filters to see more.
          </EmptyState>
        ) : (
          <EmptyState icon="check" title="No payment has failed">
            When the payment of a subscription fails, it stands here until the customer has paid or the invoice is given
            up.
          </EmptyState>
        )
      }
    >
      <DunningFigures since={since} />
    </ListPage>
  );
}

function exportedColumns(scope: ProjectScope): readonly Column<DunningCase>[] {
  const products = productFinder(scope);
  return [
    exportedColumn('Status', ({ status }) => status),
    ...customerColumns<DunningCase>(scope),
    exportedColumn('Product', ({ subscriptionId }) => products.ofSubscription(subscriptionId)),
    amountColumn('Amount', ({ amountDue }) => amountDue),
    currencyColumn(),
    exportedColumn('Failed', ({ failedAt }) => failedAt),
    exportedColumn('Attempts', ({ attempts }) => attempts),
    exportedColumn('Code', ({ lastFailure }) => lastFailure.code),
    exportedColumn('Why', ({ lastFailure }) => lastFailure.message),
    exportedColumn('Next attempt', ({ nextRetryAt }) => nextRetryAt),
    exportedColumn('Ended', ({ endedAt }) => endedAt),
    exportedColumn('Where to pay', ({ hostedInvoiceUrl }) => hostedInvoiceUrl),
    exportedColumn('Subscription id', ({ subscriptionId }) => subscriptionId),
    exportedColumn('Invoice id', ({ invoiceId }) => invoiceId),
  ];
}

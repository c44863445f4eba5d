import type { DunningCase } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type ProjectScope, useProject, useProjectDetails } from '#api/project.ts';
import { dunningTotalsQuery } from '#api/queries.ts';
import { DateRangeFilter, useDateRange } from '#layout/date-range.tsx';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { exportedColumn, ListPage } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { moneyColumn } from '#resource/tables.tsx';
import { DialogButton } from '#resource/dialog-button.tsx';
import { formatCount } from '#ui/amount.ts';
import { CopyButton } from '#ui/copy.tsx';
import { EmptyState } from '#ui/states.tsx';
import { DUNNING_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { customerColumn } from '../customers/customer-name.tsx';
import { amountColumn, currencyColumn, customerColumns, productFinder } from '../exported-columns.ts';
import { RetryDialog } from '../invoices/retry-dialog.tsx';
import { MoneyFigure } from '../overview/figure.tsx';
import { SubscriptionIdLink } from '../products/product-name.tsx';
import { sumsOf } from './dunning-sums.ts';
import { describeFailedPayment } from './failure-words.ts';

const COLUMNS: readonly Column<DunningCase>[] = [
  customerColumn,
  { title: 'Product', cell: ({ subscriptionId }) => <SubscriptionIdLink id={subscriptionId} /> },
  { title: 'Status', width: 'status', cell: ({ status }) => <StatusBadge of={DUNNING_STATUS[status]} /> },
  { title: 'Since', width: 'date', isSpare: true, cell: ({ failedAt }) => <Time at={failedAt} /> },
  {
    title: 'Why',
    cell: ({ lastFailure, attempts }) => (
      <>
        <bdi>{describeFailedPayment(lastFailure)}</bdi>
        {attempts > 1 && ` ${formatCount(attempts)} attempts`}
      </>
    ),
  },
  { title: 'Next try, or end', width: 130, cell: ({ nextRetryAt, endedAt }) => <Time at={endedAt ?? nextRetryAt} /> },
  moneyColumn('Amount', ({ amountDue }) => amountDue),
  { title: 'Actions', width: 204, end: true, cell: failing => <CaseActions failing={failing} /> },
];

/** Invoices of subscriptions whose payment failed, and what became of them. */
export function FailingPaymentsPage() {
  const scope = useProject();
  const status = useFilters().oneOf('status', DUNNING_STATUS);
  const { createdAfter: since, createdBefore: until } = useDateRange();
  const wanted = { status, since, until };
  return (
    <ListPage
      title="Failing payments"
      lead="Invoices of subscriptions whose payment failed. Stripe tries again by itself, as its settings say."
      nouns={['invoice', 'invoices']}
      exported={{ name: 'failing-payments', columns: useMemo(() => exportedColumns(scope), [scope]) }}
      filters={
        <>
          <SelectFilter name="status" label="Status" options={DUNNING_STATUS} all="All statuses" />
          <DateRangeFilter />
        </>
      }
      queryKey={scope.key('dunning', wanted)}
      list={(page, signal) => scope.billing.dunning.list({ ...wanted, ...page }, { signal })}
      columns={COLUMNS}
      rowKey={({ invoiceId }) => invoiceId}
      empty={
        status || since || until ? (
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
      <DunningFigures range={{ since, until }} />
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

/** Tries to collect a payment that failed, or copies the link with which its customer pays. */
function CaseActions({ failing }: { readonly failing: DunningCase }) {
  const { status, hostedInvoiceUrl } = failing;
  if (status !== 'recovering') return null;
  return (
    <span className="row">
      <DialogButton small dialog={<RetryDialog {...failing} />}>
        Retry…
      </DialogButton>
      {hostedInvoiceUrl !== null && <CopyButton text={hostedInvoiceUrl}>Copy link</CopyButton>}
    </span>
  );
}

const FIGURES = [
  { status: 'recovering', name: 'Recovering', note: 'failed, and not paid yet' },
  { status: 'recovered', name: 'Recovered', note: 'failed, and paid after all' },
  { status: 'lost', name: 'Lost', note: 'given up, or ended unpaid' },
] as const;

/** What failed payments amount to, by what became of them; each number opens its list. */
function DunningFigures({ range }: { readonly range: Parameters<typeof dunningTotalsQuery>[1] }) {
  const scope = useProject();
  const { baseCurrency } = useProjectDetails();
  const { text } = useFilters();
  const days = { from: text('from') || undefined, until: text('until') || undefined };
  const { data, error } = useQuery(dunningTotalsQuery(scope, range));
  const totals = data ?? (error ? null : undefined);
  return (
    <div className="figures">
      {FIGURES.map(({ status, ...figure }) => (
        <MoneyFigure
          key={status}
          {...figure}
          sums={totals && sumsOf(totals, status)}
          currency={baseCurrency}
          page="failing-payments"
          search={{ status, ...days }}
        />
      ))}
    </div>
  );
}

import type { AnalyticsSubscription } from '@billing/client';
import { useProject, useProjectDetails } from '#api/project.ts';
import type { Column } from '#layout/list-table.tsx';
import { Loading } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { PagedTable } from '#layout/paged-table.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatCount, formatPercent } from '#ui/amount.ts';
import { formatMoney } from '#ui/money.ts';
import { EmptyState } from '#ui/states.tsx';
import { StatusBadge, SUBSCRIPTION_STATUS } from '#ui/statuses.tsx';
import { formatDay } from '#ui/time.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { SubscriptionIdLink } from '../products/product-name.tsx';
import { LISTED_REASONS } from '../subscriptions/cancellation-reasons.ts';
import { filtersOf, MAX_ROWS, useDrillDown, useQuestion, type DrillDown, type Question } from './drill-down.ts';
import { LeftOut } from './left-out.tsx';
import { isMovement, METRICS, type Metric } from './metrics.ts';
import { sumAmounts } from './sum-amounts.ts';

const REASONS: Readonly<Record<NonNullable<AnalyticsSubscription['reason']>, string>> = {
  tiered: 'Its price has tiers, so it has no fixed amount.',
  metered: 'It is billed by usage.',
  otherCurrency: 'It is in another currency than the project.',
};

const customer: Column<AnalyticsSubscription> = {
  title: 'Customer',
  cell: ({ customerId }) => <CustomerLink id={customerId} />,
};
const product: Column<AnalyticsSubscription> = {
  title: 'Product',
  cell: row => <SubscriptionIdLink id={row.subscriptionId} />,
};
const status: Column<AnalyticsSubscription> = {
  title: 'Status',
  cell: row => <StatusBadge of={SUBSCRIPTION_STATUS[row.status]} />,
};
const whyExcluded: Column<AnalyticsSubscription> = { title: 'Reason', cell: row => row.reason && REASONS[row.reason] };
const result: Column<AnalyticsSubscription> = {
  title: 'Trial',
  cell: row => (row.converted ? 'Converted' : 'Not converted'),
};
const whyCanceled: Column<AnalyticsSubscription> = {
  title: 'Reason',
  cell: ({ cancellation }) => LISTED_REASONS[cancellation?.reason ?? 'none'],
};
const comment: Column<AnalyticsSubscription> = {
  title: 'Comment',
  cell: ({ cancellation }) => (
    <div className="finding-why">
      <bdi>{cancellation?.comment}</bdi>
    </div>
  ),
};
const amount = (title: string): Column<AnalyticsSubscription> => ({
  title,
  end: true,
  cell: row => <span className="num">{formatMoney(Number(row.amount), row.currency)}</span>,
});

function columnsOf(metric: Metric): readonly Column<AnalyticsSubscription>[] {
  if (metric === 'excluded') return [customer, product, status, whyExcluded, amount('A month')];
  if (metric === 'cancellations') return [customer, product, status, whyCanceled, comment, amount('A month')];
  if (metric === 'trialConversion') return [customer, product, status, result, amount('A month')];
  return [customer, product, status, amount(isMovement(metric) ? 'Change of a month' : 'A month')];
}

/** The subscriptions behind a figure, which add up to it, and what it leaves out. */
export function DrillDownPage() {
  const scope = useProject();
  const question = useQuestion();
  const query = useDrillDown(question);
  const { data } = query;
  const { title, lead } = METRICS[question.metric];
  const filters = filtersOf(question);
  return (
    <Page
      title={title}
      lead={`${lead}${isWindowed(question) ? ` ${daysOf(question)}` : ''}`}
      up={{ page: 'overview', title: 'Overview' }}
    >
      <Loading query={query} lines={1} />
      {data && <Sum question={question} drillDown={data} />}
      <Card flush>
        <PagedTable
          label={title}
          queryKey={scope.key('analytics', 'subscriptions', filters)}
          list={(page, signal) => scope.billing.analytics.subscriptions({ ...filters, ...page }, { signal })}
          columns={columnsOf(question.metric)}
          rowKey={row => row.subscriptionId}
          empty={<EmptyState icon="subscriptions" title="There are none" />}
        />
      </Card>
      {data && <LeftOut metric={question.metric} analytics={data.analytics} />}
    </Page>
  );
}

/** Metrics without a window. */
const AT_PRESENT: ReadonlySet<Metric> = new Set(['mrr', 'mrrDiscounted', 'mrrTrialing', 'mrrPaused', 'excluded']);

const isWindowed = ({ metric, span }: Question): boolean => span !== null || !AT_PRESENT.has(metric);

function daysOf({ days, span }: Question): string {
  if (!span) return `The last ${days} days.`;
  if (!span.from) return `At the end of ${formatDay(span.to)}.`;
  return span.from === span.to ? `${formatDay(span.to)}.` : `${formatDay(span.from)} – ${formatDay(span.to)}.`;
}

/** Adds up the rows, and says what the overview shows. */
function Sum({
  question: { metric, days, span, currency, reason },
  drillDown,
}: {
  readonly question: Question;
  readonly drillDown: DrillDown;
}) {
  const { baseCurrency } = useProjectDetails();
  const shown = currency ?? baseCurrency;
  const { analytics, figure, rows } = drillDown;
  if (rows === null)
    return <p className="muted">More than {formatCount(MAX_ROWS)} subscriptions are not added up here.</p>;
  if (metric === 'trialConversion') {
    const converted = rows.filter(row => row.converted).length;
    return (
      <p>
        <span data-testid="sum">{converted}</span> of {rows.length} trials converted in {days} days
        {rows.length > 0 && `: ${formatPercent(analytics.trialConversion.rate)}`}.
      </p>
    );
  }
  if (metric === 'churn')
    return (
      <p>
        <span data-testid="sum">{rows.length}</span> of {analytics.churn.active} active {days} days ago ended.
        {analytics.churn.active > 0 && ` Churn in ${days} days: ${formatPercent(analytics.churnRate)}.`}
      </p>
    );
  if (metric === 'cancellations')
    return (
      <p>
        <span data-testid="sum">{rows.length}</span> {rows.length === 1 ? 'cancellation' : 'cancellations'}
        {reason && `: ${LISTED_REASONS[reason].toLowerCase()}`}
      </p>
    );
  if (metric === 'excluded')
    return (
      <p>
        <span data-testid="sum">{rows.length}</span>{' '}
        {rows.length === 1 ? 'subscription is left out.' : 'subscriptions are left out.'}
      </p>
    );
  const name = metric === 'mrr' ? 'MRR' : AT_PRESENT.has(metric) ? 'the figure' : METRICS[metric].title.toLowerCase();
  return (
    <p>
      <strong data-testid="sum">{formatMoney(sumAmounts(rows), shown)}</strong>{' '}
      <span className="muted">
        Sum of {rows.length} {rows.length === 1 ? 'subscription' : 'subscriptions'}
        {figure !== null && `; ${name} is ${formatMoney(figure, shown)}`}
      </span>
      {metric === 'mrr' && !span && !currency && <Parts analytics={analytics} />}
    </p>
  );
}

/** The parts of MRR that are in a trial or paused, each with its list. */
function Parts({ analytics: { mrrTrialing, mrrPaused } }: Pick<DrillDown, 'analytics'>) {
  const { baseCurrency } = useProjectDetails();
  const parts = [
    { metric: 'mrrTrialing', amount: mrrTrialing, words: 'in trials' },
    { metric: 'mrrPaused', amount: mrrPaused, words: 'paused' },
  ].filter(it => it.amount > 0);
  return parts.map(({ metric, amount: part, words }) => (
    <span key={metric}>
      {' · '}
      <ProjectLink page="overview/subscriptions" search={{ metric }}>
        {formatMoney(part, baseCurrency)} {words}
      </ProjectLink>
    </span>
  ));
}

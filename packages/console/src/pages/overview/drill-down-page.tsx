import type { Analytics, AnalyticsSubscription } from '@billing/client';
import { useProject, useProjectDetails } from '#api/project.ts';
import type { Column } from '#layout/list-table.tsx';
import { Loading } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { PagedTable } from '#layout/paged-table.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { moneyColumn } from '#resource/tables.tsx';
import { formatCount, formatPercent } from '#ui/amount.ts';
import { formatMoney } from '#ui/money.ts';
import { EmptyState } from '#ui/states.tsx';
import { StatusBadge, SUBSCRIPTION_STATUS } from '#ui/statuses.tsx';
import { formatDay } from '#ui/time.tsx';
import { customerColumn } from '../customers/customer-name.tsx';
import { SubscriptionIdLink } from '../products/product-name.tsx';
import { LISTED_REASONS } from '../subscriptions/cancellation-reasons.ts';
import {
  AT_PRESENT,
  type DrillDown,
  filtersOf,
  MAX_ROWS,
  type Question,
  useDrillDown,
  useQuestion,
} from './drill-down.ts';
import { excludedCount, isMovement, type Metric, METRICS } from './metrics.ts';
import { startText, windowText } from './periods.ts';
import { sumAmounts } from './sum-amounts.ts';

const REASONS: Readonly<Record<NonNullable<AnalyticsSubscription['reason']>, string>> = {
  tiered: 'Its price has tiers, so it has no fixed amount.',
  metered: 'It is billed by usage.',
  otherCurrency: 'It is in another currency than the project.',
  testClock: 'It lives on a test clock.',
};

const product: Column<AnalyticsSubscription> = {
  title: 'Product',
  cell: row => <SubscriptionIdLink id={row.subscriptionId} />,
};
const statusColumn: Column<AnalyticsSubscription> = {
  title: 'Status',
  width: 'status',
  cell: row => <StatusBadge of={SUBSCRIPTION_STATUS[row.status]} />,
};
const whyExcluded: Column<AnalyticsSubscription> = { title: 'Reason', cell: row => row.reason && REASONS[row.reason] };
const result: Column<AnalyticsSubscription> = {
  title: 'Trial',
  width: 'status',
  cell: row => (row.converted ? 'Converted' : 'Not converted'),
};
const whyCanceled: Column<AnalyticsSubscription> = {
  title: 'Reason',
  cell: ({ cancellation }) => LISTED_REASONS[cancellation?.reason ?? 'none'],
};
const comment: Column<AnalyticsSubscription> = {
  title: 'Comment',
  cell: ({ cancellation }) => <bdi>{cancellation?.comment}</bdi>,
};
const amount = (title: string): Column<AnalyticsSubscription> => ({
  ...moneyColumn<AnalyticsSubscription>(title, row => Number(row.amount)),
  width: 150,
});

function columnsOf(metric: Metric): readonly Column<AnalyticsSubscription>[] {
  if (metric === 'excluded') return [customerColumn, product, statusColumn, whyExcluded, amount('A month')];
  if (metric === 'cancellations')
    return [customerColumn, product, statusColumn, whyCanceled, comment, amount('A month')];
  if (metric === 'trialConversion') return [customerColumn, product, statusColumn, result, amount('A month')];
  return [customerColumn, product, statusColumn, amount(isMovement(metric) ? 'Change of a month' : 'A month')];
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

const isWindowed = ({ metric, span }: Question): boolean => span !== null || !AT_PRESENT.has(metric);

function daysOf({ window, span }: Question): string {
  if (!span)
    return window.isOpen ? `The last ${window.days} days.` : `${formatDay(window.from)} – ${formatDay(window.to)}.`;
  if (!span.from) return `At the end of ${formatDay(span.to)}.`;
  return span.from === span.to ? `${formatDay(span.to)}.` : `${formatDay(span.from)} – ${formatDay(span.to)}.`;
}

/** Adds up the rows, and says what the overview shows. */
function Sum({
  question: { metric, window, span, currency, reason },
  drillDown,
}: {
  readonly question: Question;
  readonly drillDown: DrillDown;
}) {
  const { baseCurrency } = useProjectDetails();
  const shown = currency ?? baseCurrency;
  const { analytics, figure, rows } = drillDown;
  const days = windowText(window);
  if (rows === null)
    return <p className="muted">More than {formatCount(MAX_ROWS)} subscriptions are not added up here.</p>;
  if (metric === 'trialConversion') {
    const converted = rows.filter(row => row.converted).length;
    return (
      <p>
        <span data-testid="sum">{converted}</span> of {rows.length} trials converted {days}
        {rows.length > 0 && `: ${formatPercent(analytics.trialConversion.rate)}`}.
      </p>
    );
  }
  if (metric === 'churn')
    return (
      <p>
        <span data-testid="sum">{rows.length}</span> of {analytics.churn.active} active {startText(window)} ended.
        {analytics.churn.active > 0 && ` Churn ${days}: ${formatPercent(analytics.churnRate)}.`}
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

/** Statuses that each figure leaves out, so that their subscriptions can be opened. */
function statusesLeftOutOf(metric: Metric): readonly (keyof typeof SUBSCRIPTION_STATUS)[] {
  if (metric === 'mrr' || metric === 'excluded') return ['past_due', 'unpaid', 'paused', 'incomplete'];
  return metric === 'trialConversion' ? ['trialing', 'incomplete'] : [];
}

/** What a figure has no row for and why, with links to it. */
function LeftOut({ metric, analytics }: { readonly metric: Metric; readonly analytics: Analytics }) {
  const { tiered, metered, otherCurrency, testClock } = analytics.mrrExcluded;
  const excluded = metric === 'mrr' || isMovement(metric) ? excludedCount(analytics) : 0;
  const statuses = statusesLeftOutOf(metric).filter(status => analytics.subscriptionBreakdown[status] > 0);
  return (
    <Card title="Left out" lead={METRICS[metric].leftOut}>
      {excluded === 0 && statuses.length === 0 ? (
        <p className="muted">Nothing else is left out now.</p>
      ) : (
        <ul className="stack-s">
          {excluded > 0 && (
            <li>
              <ProjectLink page="overview/subscriptions" search={{ metric: 'excluded' }}>
                {excluded} live subscriptions now
              </ProjectLink>
              : {tiered} with tiered prices, {metered} billed by usage, {otherCurrency} in another currency, {testClock}{' '}
              on test clocks.
            </li>
          )}
          {statuses.map(status => (
            <li key={status}>
              <ProjectLink page="subscriptions" search={{ status }}>
                {SUBSCRIPTION_STATUS[status].name} now: {analytics.subscriptionBreakdown[status]}
              </ProjectLink>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

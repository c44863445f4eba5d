import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject, useProjectDetails } from '#api/project.ts';
import { dunningTotalsQuery, processorQuery } from '#api/queries.ts';
import { createdWithin } from '#layout/date-range.tsx';
import { Card, Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { Notice } from '#ui/notice.tsx';
import { ErrorState, Skeleton } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { Breakdowns } from './breakdowns.tsx';
import { Figures } from './figures.tsx';
import { historyOf, localDayBefore, windowOf, WINDOWS } from './periods.ts';
import { RevenueCard } from './revenue-card.tsx';

const REFRESH_MS = 15_000;

export function OverviewPage() {
  const scope = useProject();
  const { name } = useProjectDetails();
  const days = windowOf(useSearch({ strict: false, select: search => ('days' in search ? search.days : undefined) }));
  const { data, error, refetch } = useQuery({
    queryKey: scope.key('analytics', days),
    queryFn: async ({ signal }) => {
      const [analytics, history, cancellations] = await Promise.all([
        scope.billing.analytics.get({ growthDays: days }, { signal }),
        scope.billing.analytics.history(historyOf(days), { signal }),
        scope.billing.analytics.cancellations({ growthDays: days }, { signal }),
      ]);
      return { analytics, history, cancellations };
    },
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const totals = useQuery({
    queryKey: scope.key('payments', 'totals', days),
    queryFn: ({ signal }) => scope.billing.payments.totals({ growthDays: days }, { signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const [today] = useState(() => new Date());
  const since = localDayBefore(today, days);
  const dunning = useQuery(dunningTotalsQuery(scope, createdWithin(since, '').createdAfter));
  const asOf = data?.analytics.asOf;
  return (
    <Page
      title={name}
      lead={
        asOf && (
          <>
            As of <Time at={asOf} show="time" />
          </>
        )
      }
      actions={<WindowChoice days={days} />}
    >
      <ConnectNotice />
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <OverviewSkeleton />}
      {data && (
        <>
          <Figures
            analytics={data.analytics}
            totals={totals.data ?? (totals.error ? null : undefined)}
            dunning={dunning.data ?? (dunning.error ? null : undefined)}
            net={data.history.totals.netMrr}
            currency={data.history.currency}
            days={days}
            since={since}
          />
          <RevenueCard history={data.history} days={days} />
          <Breakdowns analytics={data.analytics} cancellations={data.cancellations} days={days} />
        </>
      )}
    </Page>
  );
}

const PLACES = [
  'MRR',
  'ARR',
  'Collected',
  'Past due',
  'Recovered',
  'Customers',
  'Churn',
  'Trial conversion',
  'Active subscriptions',
  'In a trial',
];

/** Has the places of the figures and of the chart, so that nothing moves when they arrive. */
function OverviewSkeleton() {
  return (
    <>
      <div className="figures" role="status" aria-busy="true">
        {PLACES.map(name => (
          <div key={name} className="figure">
            <span className="name">{name}</span>
            <span className="value">
              <Skeleton width="6rem" />
            </span>
            <span className="note">
              <Skeleton width="9rem" />
            </span>
          </div>
        ))}
        <span className="visually-hidden">Loading…</span>
      </div>
      <Card title="Monthly recurring revenue">
        <div className="chart">
          <span className="skeleton fill" aria-hidden="true" />
        </div>
      </Card>
    </>
  );
}

function WindowChoice({ days }: { readonly days: number }) {
  return (
    <nav className="segments" aria-label="Window">
      {WINDOWS.map(window => (
        <ProjectLink
          key={window}
          page="overview"
          search={{ days: window }}
          {...(window === days ? { 'aria-label': `${window} days, shown` } : {})}
          className={window === days ? 'chosen' : ''}
        >
          {window} days
        </ProjectLink>
      ))}
    </nav>
  );
}

/** Says what to do while there is nothing to count. */
function ConnectNotice() {
  const { data } = useQuery(processorQuery(useProject()));
  if (!data || data.processor) return null;
  return (
    <Notice>
      This team is not connected to Stripe yet, so there is nothing to count.{' '}
      <ProjectLink page="start">Get started</ProjectLink>: it takes two minutes.
    </Notice>
  );
}

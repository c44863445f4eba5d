import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type ProjectScope, useProject, useProjectDetails } from '#api/project.ts';
import { processorQuery } from '#api/queries.ts';
import { DateRangeFilter } from '#layout/date-range.tsx';
import { useFilters } from '#layout/filters.tsx';
import { Card, Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { Notice } from '#ui/notice.tsx';
import { ErrorState, Skeleton } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { Breakdowns } from './breakdowns.tsx';
import { Figures, type WindowData } from './figures.tsx';
import { historyOf, queryOf, rangeOf, type Window, windowBefore, windowOf, WINDOWS } from './periods.ts';
import { RevenueCard } from './revenue-card.tsx';

const REFRESH_MS = 15_000;

/** Loads what the overview shows of a window. */
async function loadWindow(
  { billing }: ProjectScope,
  window: Window,
  history: ReturnType<typeof historyOf>,
  signal: AbortSignal,
): Promise<WindowData> {
  const { createdAfter, createdBefore } = rangeOf(window);
  const [analytics, days, totals, dunning] = await Promise.all([
    billing.analytics.get(queryOf(window), { signal }),
    billing.analytics.history(history, { signal }),
    billing.payments.totals({ createdAfter, createdBefore }, { signal }).catch(() => null),
    billing.dunning.totals({ since: createdAfter, until: createdBefore }, { signal }).catch(() => null),
  ]);
  return { analytics, history: days, totals, dunning };
}

export function OverviewPage() {
  const scope = useProject();
  const { name } = useProjectDetails();
  const [now] = useState(() => new Date());
  const window = windowOf(useSearch({ strict: false }), now);
  const { data, error, refetch } = useQuery({
    queryKey: scope.key('analytics', window),
    queryFn: async ({ signal }) => {
      const [shown, cancellations] = await Promise.all([
        loadWindow(scope, window, historyOf(window), signal),
        scope.billing.analytics.cancellations(queryOf(window), { signal }),
      ]);
      return { ...shown, cancellations };
    },
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  // What is over changes only by what arrives late.
  const before = useQuery({
    queryKey: scope.key('analytics', 'before', window),
    queryFn: ({ signal }) => {
      const earlier = windowBefore(window);
      return loadWindow(scope, earlier, { ...historyOf(earlier), step: earlier.days }, signal);
    },
    refetchInterval: REFRESH_MS * 20,
    placeholderData: keepPreviousData,
  });
  const asOf = data?.analytics.asOf;
  // All figures come together: their notes are of different lengths.
  const isLoading = !error && !(data && (before.data ?? before.error));
  return (
    <Page
      title={name}
      lead={(asOf ?? !error) && <>As of {asOf ? <Time at={asOf} show="time" /> : <Skeleton width="9rem" />}</>}
      actions={<WindowChoice window={window} />}
    >
      <ConnectNotice />
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {isLoading && <OverviewSkeleton />}
      {data && !isLoading && (
        <>
          <Figures {...data} before={before.data} window={window} />
          <RevenueCard history={data.history} window={window} />
          <Breakdowns
            analytics={data.analytics}
            cancellations={data.cancellations}
            currency={data.history.currency}
            window={window}
          />
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
            <span className="note">
              <Skeleton width="7rem" />
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

function WindowChoice({ window }: { readonly window: Window }) {
  const { text } = useFilters();
  const isFree = text('from') !== '' || text('until') !== '';
  const isShown = (days: number) => !isFree && days === window.days;
  return (
    <>
      <nav className="segments" aria-label="Window">
        {WINDOWS.map(days => (
          <ProjectLink
            key={days}
            page="overview"
            search={{ days }}
            {...(isShown(days) ? { 'aria-label': `${days} days, shown` } : {})}
            className={isShown(days) ? 'chosen' : ''}
          >
            {days} days
          </ProjectLink>
        ))}
      </nav>
      <DateRangeFilter />
    </>
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

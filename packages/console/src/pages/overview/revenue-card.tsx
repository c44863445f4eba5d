import type { AnalyticsHistory } from '@billing/client';
import { useState } from 'react';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatMoney } from '#ui/money.ts';
import { EmptyState } from '#ui/states.tsx';
import { MOVEMENTS, NET } from './metrics.ts';
import { MovementsChart, RevenueChart } from './movements-chart.tsx';
import { type Period, toPeriod, type Window, windowSearch } from './periods.ts';

const VIEWS = { movements: 'Movements', mrr: 'MRR', table: 'Table' } as const;
type View = keyof typeof VIEWS;

/** What is said instead of a chart of zeros, whose axis would count cents. */
const EMPTY = {
  movements: {
    title: 'Nothing changed in these days',
    text: 'New, rising, falling and lost revenue appears here as it happens.',
  },
  mrr: { title: 'No revenue in these days', text: 'The first active subscription with a price appears here at once.' },
} as const;

/** Whether a chart would show nothing but zeros. */
function isFlat(view: keyof typeof EMPTY, periods: readonly Period[]): boolean {
  const amountsOf = (period: Period) => (view === 'mrr' ? [period.mrr] : MOVEMENTS.map(({ key }) => period[key]));
  return periods.every(period => amountsOf(period).every(amount => amount === 0));
}

interface RevenueCardProps {
  readonly history: AnalyticsHistory;
  readonly window: Window;
}

/** How monthly revenue developed: its movements, its amount, or both as a table. */
export function RevenueCard({ history: { history, totals, currency }, window }: RevenueCardProps) {
  const [view, setView] = useState<View>('movements');
  const views = Object.entries(VIEWS) as [View, string][]; // an object's keys are typed as string
  const periods = history.map(toPeriod);
  return (
    <Card
      title="Monthly recurring revenue"
      lead="What was won and lost in each period, at face value and without taxes."
      actions={
        <div className="segments" role="group" aria-label="Show as">
          {views.map(([name, title]) => (
            <button key={name} type="button" aria-pressed={view === name} onClick={() => setView(name)}>
              {title}
            </button>
          ))}
        </div>
      }
    >
      {view === 'table' ? (
        <PeriodTable periods={periods} currency={currency} days={window.days} />
      ) : isFlat(view, periods) ? (
        <div className="chart">
          <EmptyState icon="overview" title={EMPTY[view].title}>
            {EMPTY[view].text}
          </EmptyState>
        </div>
      ) : (
        <figure className="stack-s">
          <div
            className="chart"
            role="img"
            aria-label={`${VIEWS[view]} of revenue as a chart; the table has the same numbers`}
          >
            {view === 'movements' ? (
              <MovementsChart periods={periods} currency={currency} days={window.days} />
            ) : (
              <RevenueChart periods={periods} currency={currency} />
            )}
          </div>
          <figcaption className="legend">
            {view === 'movements' && <Legend totals={totals} currency={currency} window={window} />}
            {periods.some(({ estimated }) => estimated) && (
              <span>
                <span className="swatch estimated" />
                Estimated: before the first sync, told from what it found
              </span>
            )}
          </figcaption>
        </figure>
      )}
    </Card>
  );
}

/** The sum of each movement in the window, which opens the subscriptions behind it. */
function Legend({
  totals,
  currency,
  window,
}: Pick<AnalyticsHistory, 'totals' | 'currency'> & { readonly window: Window }) {
  return [...MOVEMENTS, NET].map(({ key, metric, name }) => (
    <ProjectLink key={key} page="overview/subscriptions" search={{ metric, ...windowSearch(window) }}>
      <span className={`swatch ${key}`} />
      {name} <span className="num">{formatMoney(totals[metric], currency)}</span>
    </ProjectLink>
  ));
}

interface PeriodTableProps {
  readonly periods: readonly Period[];
  readonly currency: string;
  readonly days: number;
}

const COLUMNS = [...MOVEMENTS, NET];

/** The numbers of the charts. Each movement opens the subscriptions behind it. */
function PeriodTable({ periods, currency, days }: PeriodTableProps) {
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-wrap" tabIndex={0} role="region" aria-label="Revenue of each period">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Period</th>
            {COLUMNS.map(({ key, name }) => (
              <th key={key} className="end" scope="col">
                {name}
              </th>
            ))}
            <th className="end" scope="col">
              MRR
            </th>
          </tr>
        </thead>
        <tbody>
          {periods.toReversed().map(period => (
            <tr key={period.from}>
              <td>
                {period.label}
                {period.estimated && <span className="muted"> (estimated)</span>}
              </td>
              {COLUMNS.map(({ key, metric }) => (
                <td key={key} className="end num">
                  <ProjectLink
                    page="overview/subscriptions"
                    search={{ metric, days, from: period.from, to: period.to }}
                    className={period[key] === 0 ? 'muted' : ''}
                  >
                    {formatMoney(period[key], currency)}
                  </ProjectLink>
                </td>
              ))}
              <td className="end num">
                <ProjectLink page="overview/subscriptions" search={{ metric: 'mrr', days, to: period.to }}>
                  {formatMoney(period.mrr, currency)}
                </ProjectLink>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

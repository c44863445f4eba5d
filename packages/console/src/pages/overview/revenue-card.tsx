import type { AnalyticsHistory } from '@billing/client';
import { useState } from 'react';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatMoney } from '#ui/money.ts';
import { EmptyState } from '#ui/states.tsx';
import { MOVEMENTS, NET } from './metrics.ts';
import { MovementsChart, RevenueChart } from './movements-chart.tsx';
import { PeriodTable } from './period-table.tsx';
import { toPeriod, type Period } from './periods.ts';

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
  readonly days: number;
}

/** How monthly revenue developed: its movements, its amount, or both as a table. */
export function RevenueCard({ history: { history, totals, currency }, days }: RevenueCardProps) {
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
        <PeriodTable periods={periods} currency={currency} days={days} />
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
              <MovementsChart periods={periods} currency={currency} days={days} />
            ) : (
              <RevenueChart periods={periods} currency={currency} />
            )}
          </div>
          <figcaption className="legend">
            {view === 'movements' && <Legend totals={totals} currency={currency} days={days} />}
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
function Legend({ totals, currency, days }: Pick<AnalyticsHistory, 'totals' | 'currency'> & { readonly days: number }) {
  return [...MOVEMENTS, NET].map(({ key, metric, name }) => (
    <ProjectLink key={key} page="overview/subscriptions" search={{ metric, days }}>
      <span className={`swatch ${key}`} />
      {name} <span className="num">{formatMoney(totals[metric], currency)}</span>
    </ProjectLink>
  ));
}

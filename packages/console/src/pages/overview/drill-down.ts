import type { Analytics, AnalyticsSubscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject, type ProjectScope } from '#api/project.ts';
import { LISTED_REASONS } from '../subscriptions/cancellation-reasons.ts';
import { isMovement, metricOf, type Metric } from './metrics.ts';
import { dayIn, historyOf, queryOf, type Window, windowOf } from './periods.ts';

/** A list of more rows is not added up in the browser. */
export const MAX_ROWS = 10_000;

/** Metrics without a window. */
export const AT_PRESENT: ReadonlySet<Metric> = new Set([
  'mrr',
  'mrrDiscounted',
  'mrrTrialing',
  'mrrPaused',
  'excluded',
]);

/** What a drill-down is about: a metric in a window, of a movement also only in a part of it, of `mrr` at the end of a day. */
export interface Question {
  readonly metric: Metric;
  readonly window: Window;
  readonly span: { readonly from?: string; readonly to: string } | null;
  /** Of revenue in another currency than the project's. */
  readonly currency?: string;
  /** Of cancellations, only those with this reason. */
  readonly reason?: keyof typeof LISTED_REASONS;
}

const CURRENCY = /^[a-z]{3}$/;
const isReason = (value: unknown): value is keyof typeof LISTED_REASONS =>
  typeof value === 'string' && Object.hasOwn(LISTED_REASONS, value);

/** What the address is about. */
export function useQuestion(): Question {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const metric = metricOf(search['metric']);
  const [from, to] = [dayIn(search['from']), dayIn(search['to'])];
  const [now] = useState(() => new Date());
  const window = windowOf(from && to && isMovement(metric) ? { from, until: to } : { days: search['days'], to }, now);
  const currency = search['currency'];
  if (metric === 'mrr' && typeof currency === 'string' && CURRENCY.test(currency))
    return { metric, window, span: null, currency };
  if (metric === 'cancellations' && isReason(search['reason']))
    return { metric, window, span: null, reason: search['reason'] };
  if (metric === 'mrr' && to) return { metric, window, span: { to } };
  return { metric, window, span: from && to && isMovement(metric) ? { from, to } : null };
}

/** The query of the list behind a metric. */
export const filtersOf = ({ metric, window, span, currency, reason }: Question) => ({
  metric,
  ...(span || isMovement(metric) || AT_PRESENT.has(metric) ? { growthDays: window.days, ...span } : queryOf(window)),
  ...(currency !== undefined && { currency }),
  ...(reason !== undefined && { reason }),
});

/** A figure as the overview shows it, and the metrics beside it. */
export interface DrillDown {
  readonly analytics: Analytics;
  /** Null for what is no amount. */
  readonly figure: number | null;
  /** The parts behind it; null when they are too many. */
  readonly rows: readonly AnalyticsSubscription[] | null;
}

/** Loads the figure in question, and every part of it. */
export function useDrillDown(question: Question) {
  const scope = useProject();
  return useQuery({
    queryKey: scope.key('analytics', 'drill-down', question),
    queryFn: async ({ signal }): Promise<DrillDown> => {
      const analytics = await scope.billing.analytics.get(queryOf(question.window), { signal });
      const figure = await figureOf(question, analytics, { scope, signal });
      const rows: AnalyticsSubscription[] = [];
      const list = scope.billing.analytics.subscriptions({ ...filtersOf(question), limit: 100 }, { signal });
      if ((await list.page()).total > MAX_ROWS) return { analytics, figure, rows: null };
      for await (const row of list) rows.push(row);
      return { analytics, figure, rows };
    },
  });
}

async function figureOf(
  { metric, window, span, currency }: Question,
  analytics: Analytics,
  { scope, signal }: { scope: ProjectScope; signal: AbortSignal },
): Promise<number | null> {
  if (currency !== undefined) return analytics.mrrByCurrency[currency] ?? 0;
  if (metric === 'mrrDiscounted' || metric === 'mrrTrialing' || metric === 'mrrPaused') return analytics[metric];
  if (metric === 'mrr' && !span) return analytics.mrr;
  if (metric !== 'mrr' && !isMovement(metric)) return null;
  const { history, totals } = await scope.billing.analytics.history(historyOf(window), { signal });
  return metric === 'mrr' ? (history.at(-1)?.mrr ?? null) : totals[metric];
}

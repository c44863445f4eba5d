import type { Analytics, AnalyticsSubscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useProject, type ProjectScope } from '#api/project.ts';
import { LISTED_REASONS } from '../subscriptions/cancellation-reasons.ts';
import { isMovement, metricOf, type Metric, type MovementMetric } from './metrics.ts';
import { historyOf, windowOf } from './periods.ts';

/** A list of more rows is not added up in the browser. */
export const MAX_ROWS = 10_000;

/** What a drill-down is about: a metric in a window, of a movement also only in a part of it, of `mrr` at the end of a day. */
export interface Question {
  readonly metric: Metric;
  readonly days: number;
  readonly span: { readonly from?: string; readonly to: string } | null;
  /** Of revenue in another currency than the project's. */
  readonly currency?: string;
  /** Of cancellations, only those with this reason. */
  readonly reason?: keyof typeof LISTED_REASONS;
}

const CURRENCY = /^[a-z]{3}$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const isReason = (value: unknown): value is keyof typeof LISTED_REASONS =>
  typeof value === 'string' && Object.hasOwn(LISTED_REASONS, value);
const dayOf = (value: unknown) => (typeof value === 'string' && DAY.test(value) ? value : undefined);

/** What the address is about. */
export function useQuestion(): Question {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const metric = metricOf(search['metric']);
  const [from, to] = [dayOf(search['from']), dayOf(search['to'])];
  const days = windowOf(search['days']);
  const currency = search['currency'];
  if (metric === 'mrr' && typeof currency === 'string' && CURRENCY.test(currency))
    return { metric, days, span: null, currency };
  if (metric === 'cancellations' && isReason(search['reason']))
    return { metric, days, span: null, reason: search['reason'] };
  if (metric === 'mrr' && to) return { metric, days, span: { to } };
  return { metric, days, span: from && to && isMovement(metric) ? { from, to } : null };
}

/** The query of the list behind a metric. */
export const filtersOf = ({ metric, days, span, currency, reason }: Question) => ({
  metric,
  growthDays: days,
  ...span,
  ...(currency !== undefined && { currency }),
  ...(reason !== undefined && { reason }),
});

/** A figure as the overview shows it, and the metrics beside it. */
export interface DrillDown {
  readonly analytics: Analytics;
  /** Null when the address names days that the overview shows no figure of. */
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
      const analytics = await scope.billing.analytics.get({ growthDays: question.days }, { signal });
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
  { metric, days, span, currency }: Question,
  analytics: Analytics,
  { scope, signal }: { scope: ProjectScope; signal: AbortSignal },
): Promise<number | null> {
  if (currency !== undefined) return analytics.mrrByCurrency[currency] ?? 0;
  if (metric === 'mrrDiscounted' || metric === 'mrrTrialing' || metric === 'mrrPaused') return analytics[metric];
  if (metric === 'mrr' && !span) return analytics.mrr;
  if (metric !== 'mrr' && !isMovement(metric)) return null;
  const { history, totals } = await scope.billing.analytics.history(historyOf(days), { signal });
  if (!span) return metric === 'mrr' ? null : totals[metric];
  const entry: Readonly<Record<MovementMetric | 'mrr', number>> | undefined = history.find(
    ({ from, date }) => (span.from ?? from) === from && date === span.to,
  );
  return entry?.[metric] ?? null;
}

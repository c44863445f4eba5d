import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { ProjectScope } from '@billing/contracts/ids';
import type { analyticsOperations } from '@billing/contracts/operations/analytics';
import type { AnalyticsHistory } from '@billing/contracts/resources/analytics';
import type { RpcClient } from '@billing/messaging/rpc';
import { markEstimated } from '#domain/estimated.ts';
import { customerGrowth } from '#domain/growth.ts';
import { METRIC, parseRevenueMetric } from '#domain/metrics.ts';
import { movementAmounts, revenueHistory } from '#domain/revenue-history.ts';
import { dayOf } from '#domain/utc-day.ts';
import { lastSpans } from '#domain/window.ts';
import { readDailyMetrics } from '#persistence/metrics.ts';
import { readProject } from '#persistence/projects.ts';
import { findBaseCurrency } from './find-base-currency.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly now: () => Date;
}

type Query = z.output<typeof analyticsOperations.getAnalyticsHistory.query>;

/**
 * Returns a project's metrics at the end of each of the `days` UTC days until `to`, today by default, or of every `step` of them. All are read in one
 * snapshot, from a number of rows that depends on `days`, not on the project's size.
 * @throws Problem 503 when no event has named the base currency and the gateway does not reply
 */
export function getHistory({ em, rpc, now }: Dependencies) {
  const baseCurrencyOf = findBaseCurrency({ em, rpc });
  return async (scope: ProjectScope, { days, step, to }: Query): Promise<AnalyticsHistory> => {
    const today = dayOf(now());
    const last = to !== undefined && to < today ? to : today;
    const spans = lastSpans(last, days, step);
    const { project, rows: metrics } = await readProject(em, scope, (tx, current) =>
      readDailyMetrics(tx, current, spans[0]?.from ?? ''),
    );
    const currency = await baseCurrencyOf(scope, project);
    const present = [...metrics.totals].flatMap(([metric, amount]) => parseRevenueMetric(metric, amount) ?? []);
    const movements = metrics.movements.filter(term => term.currency === currency);
    const revenue = revenueHistory(
      spans,
      today,
      present.filter(term => term.currency === currency && term.status !== 'paused'),
      movements,
    );
    const dates = spans.map(({ date }) => date);
    const growth = customerGrowth(dates, metrics.totals.get(METRIC.customers) ?? 0n, metrics.netNewCustomers, today);
    const customers = new Map(growth.map(({ date, count }) => [date, count]));
    return {
      currency,
      history: markEstimated(
        revenue.map(day => ({ ...day, customerCount: customers.get(day.date) ?? 0 })),
        project?.estimatedUntil,
      ),
      totals: movementAmounts(last === today ? movements : movements.filter(({ day }) => day <= last)),
      asOf: project?.newestEventAt ?? null,
    };
  };
}

import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { AnalyticsHistory } from '@billing/contracts/resources/analytics';
import type { RpcClient } from '@billing/messaging/rpc';
import { customerGrowth } from '#domain/growth.ts';
import { METRIC, parseRevenueMetric } from '#domain/metrics.ts';
import { revenueHistory } from '#domain/revenue-history.ts';
import { dayOf } from '#domain/utc-day.ts';
import { lastDays } from '#domain/window.ts';
import { readDailyMetrics } from '#persistence/metrics.ts';
import { readProject } from '#persistence/projects.ts';
import { findBaseCurrency } from './find-base-currency.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly now: () => Date;
}

/**
 * Returns a project's metrics at the end of each of the last `days` UTC days, including today. All are read in one
 * snapshot, from a number of rows that depends on `days`, not on the project's size.
 * @throws Problem 503 when no event has named the base currency and the gateway does not reply
 */
export function getHistory({ em, rpc, now }: Dependencies) {
  const baseCurrencyOf = findBaseCurrency({ em, rpc });
  return async (scope: ProjectScope, days: number): Promise<AnalyticsHistory> => {
    const dates = lastDays(dayOf(now()), days);
    const { project, rows: metrics } = await readProject(em, scope, (tx, current) =>
      readDailyMetrics(tx, current, dates[0] ?? ''),
    );
    const currency = await baseCurrencyOf(scope, project);
    const present = [...metrics.totals].flatMap(([metric, amount]) => parseRevenueMetric(metric, amount) ?? []);
    const revenue = revenueHistory(
      dates,
      present.filter(term => term.currency === currency && term.status !== 'paused'),
      metrics.movements.filter(term => term.currency === currency),
    );
    const growth = customerGrowth(dates, metrics.totals.get(METRIC.customers) ?? 0n, metrics.netNewCustomers);
    const customers = new Map(growth.map(({ date, count }) => [date, count]));
    return {
      currency,
      history: revenue.map(day => ({ ...day, customerCount: customers.get(day.date) ?? 0 })),
      asOf: project?.newestEventAt ?? null,
    };
  };
}

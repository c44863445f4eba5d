import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { AnalyticsHistory } from '@billing/contracts/resources/analytics';
import type { RpcClient } from '@billing/messaging/rpc';
import { FIGURE, readRecurringFigure } from '#domain/figures.ts';
import { customerGrowth } from '#domain/growth.ts';
import { revenueHistory } from '#domain/revenue-history.ts';
import { addDays, dayOf } from '#domain/utc-day.ts';
import { readMovements } from '#persistence/figures.ts';
import { FIRST_GENERATION, Project } from '#persistence/project.entity.ts';
import { knowBaseCurrency } from './know-base-currency.ts';
import { readAtOnce } from './read-at-once.ts';

interface DescribeHistoryDependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly clock: () => Date;
}

/**
 * A project's figures at the end of each of the last `days` UTC days, today included. All of them are of one moment, and
 * read from rows whose number follows `days`, not the project's size.
 * @throws Problem 503 when the base currency is not known yet and the gateway does not answer
 */
export function describeHistory({ em, rpc, clock }: DescribeHistoryDependencies) {
  const currencyOf = knowBaseCurrency(em, rpc);
  return async (scope: ProjectScope, days: number): Promise<AnalyticsHistory> => {
    const dates = daysUntil(dayOf(clock()), days);
    const { project, movements } = await readAtOnce(em, async tx => {
      const found = await tx.findOne(Project, { ...scope });
      const shown = { ...scope, generation: found?.generation ?? FIRST_GENERATION };
      return { project: found, movements: await readMovements(tx, shown, dates[0] ?? '') };
    });
    const currency = await currencyOf(scope, project);
    const { overall, customersGained, moved } = movements;
    const terms = [...overall].flatMap(([figure, amount]) => readRecurringFigure(figure, amount) ?? []);
    const revenue = revenueHistory(
      dates,
      terms.filter(term => term.currency === currency),
      moved.filter(term => term.currency === currency),
    );
    const growth = customerGrowth(dates, overall.get(FIGURE.customers) ?? 0n, customersGained);
    const customers = new Map(growth.map(({ date, count }) => [date, count]));
    return {
      currency,
      history: revenue.map(day => ({ ...day, customerCount: customers.get(day.date) ?? 0 })),
      asOf: project?.newestFactAt ?? null,
    };
  };
}

/** `count` days without gaps, the last of them `today`. */
const daysUntil = (today: string, count: number) =>
  Array.from({ length: count }, (_, index) => addDays(today, index + 1 - count));

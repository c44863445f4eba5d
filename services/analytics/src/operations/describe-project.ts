import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Analytics } from '@billing/contracts/resources/analytics';
import { SUBSCRIPTION_STATUSES } from '@billing/contracts/resources/subscription';
import type { RpcClient } from '@billing/messaging/rpc';
import { churnRate } from '#domain/churn.ts';
import { FIGURE, LIFETIME_FIGURE, readRecurringFigure, statusFigure } from '#domain/figures.ts';
import { customerGrowth } from '#domain/growth.ts';
import { monthlyRevenue } from '#domain/revenue.ts';
import { sampleDays, windowOf } from '#domain/window.ts';
import { readFigures, type Figures } from '#persistence/figures.ts';
import { countAtEdges, type PartialCounts } from '#persistence/lifetimes.ts';
import { FIRST_GENERATION, Project } from '#persistence/project.entity.ts';
import { knowBaseCurrency } from './know-base-currency.ts';
import { readAtOnce } from './read-at-once.ts';

interface DescribeProjectDependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly clock: () => Date;
}

/**
 * A project's figures, looking back `growthDays` times 24 hours. All of them are of one moment, and read from rows whose
 * number does not grow with the project.
 * @throws Problem 503 when the base currency is not known yet and the gateway does not answer
 */
export function describeProject({ em, rpc, clock }: DescribeProjectDependencies) {
  const currencyOf = knowBaseCurrency(em, rpc);
  return async (scope: ProjectScope, growthDays: number): Promise<Analytics> => {
    const window = windowOf(clock(), growthDays);
    const { project, figures, edges } = await readAtOnce(em, async tx => {
      const found = await tx.findOne(Project, { ...scope });
      const shown = { ...scope, generation: found?.generation ?? FIRST_GENERATION };
      return {
        project: found,
        figures: await readFigures(tx, shown, window),
        edges: await countAtEdges(tx, shown, window),
      };
    });
    const baseCurrency = await currencyOf(scope, project);
    const count = (figure: string) => Number(figures.total(figure));
    const customers = figures.total(FIGURE.customers);
    return {
      ...revenue(figures, baseCurrency),
      customerCount: Number(customers),
      churnRate: churnRate(churnCounts(figures, edges)),
      subscriptionBreakdown: breakdown(figures),
      customerGrowth: customerGrowth(sampleDays(window, growthDays), customers, figures.customersGained),
      webhookStats: {
        total: count(FIGURE.webhooks),
        processed: count(FIGURE.webhooksProcessed),
        failed: count(FIGURE.webhooksFailed),
      },
      referralStats: {
        totalCodes: count(FIGURE.codes),
        totalReferrals: count(FIGURE.referrals),
        converted: count(FIGURE.referralsConverted),
      },
      asOf: project?.newestFactAt ?? null,
    };
  };
}

function revenue(figures: Figures, baseCurrency: string) {
  const terms = [...figures.overall].flatMap(([figure, amount]) => readRecurringFigure(figure, amount) ?? []);
  const worth = (currency: string, trialingOnly = false) =>
    monthlyRevenue(terms.filter(term => term.currency === currency && (!trialingOnly || term.earning === 'trialing')));
  const earned = new Set(terms.filter(term => term.numerator !== 0n).map(term => term.currency));
  const currencies = [...earned.add(baseCurrency)].toSorted();
  return {
    mrr: worth(baseCurrency),
    mrrTrialing: worth(baseCurrency, true),
    mrrByCurrency: Object.fromEntries(currencies.map(currency => [currency, worth(currency)])),
  };
}

function breakdown(figures: Figures): Analytics['subscriptionBreakdown'] {
  const counts = SUBSCRIPTION_STATUSES.map(status => [status, Number(figures.total(statusFigure(status)))] as const);
  return Object.fromEntries(counts) as Analytics['subscriptionBreakdown']; // one entry for each status
}

function churnCounts({ total, after }: Figures, edges: PartialCounts) {
  return {
    living: total(FIGURE.living) + edges.endingLater,
    beganAfter: after(LIFETIME_FIGURE.began) + edges.began,
    endedAfter: after(LIFETIME_FIGURE.ended) + edges.ended - edges.endingLater,
    beganAndEndedAfter: after(LIFETIME_FIGURE.beganAndEnded) + edges.beganAndEnded - edges.beganAndEndingLater,
  };
}

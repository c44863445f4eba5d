import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { ProjectScope } from '@billing/contracts/ids';
import type { analyticsOperations } from '@billing/contracts/operations/analytics';
import type { Analytics } from '@billing/contracts/resources/analytics';
import { SUBSCRIPTION_STATUSES } from '@billing/contracts/resources/subscription';
import type { RpcClient } from '@billing/messaging/rpc';
import { churned, churnRate } from '#domain/churn.ts';
import { markEstimated } from '#domain/estimated.ts';
import { customerGrowth } from '#domain/growth.ts';
import { METRIC, statusMetric } from '#domain/metrics.ts';
import { revenueByPrice, revenueMetrics } from '#domain/mrr.ts';
import { trialConversion } from '#domain/trials.ts';
import { dayOf } from '#domain/utc-day.ts';
import { sampleDays, windowUntil } from '#domain/window.ts';
import { countEndingLater, countTrialsEndingLater } from '#persistence/listed-subscriptions.ts';
import { readMetrics, toChurnCounts, toTrialCounts, type Metrics } from '#persistence/metrics.ts';
import { readProject } from '#persistence/projects.ts';
import { readWebhookEventCounts } from '#persistence/webhook-event-counts.ts';
import { findBaseCurrency } from './find-base-currency.ts';

type Query = z.output<typeof analyticsOperations.getAnalytics.query>;

interface Dependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly now: () => Date;
}

/**
 * Returns a project's metrics, looking back `growthDays` × 24 hours, or at as many days that end with `to`. All are read in one
 * snapshot, from a number of rows that does not grow with the project, except for what has ended since `to`.
 * @throws Problem 503 when no event has named the base currency and the gateway does not reply
 */
export function getAnalytics({ em, rpc, now }: Dependencies) {
  const baseCurrencyOf = findBaseCurrency({ em, rpc });
  return async (scope: ProjectScope, { growthDays, to }: Query): Promise<Analytics> => {
    const time = now();
    const window = windowUntil(time, growthDays, to);
    const { project, rows } = await readProject(em, scope, async (tx, current) => ({
      metrics: await readMetrics(tx, current, window, dayOf(time)),
      endingLater: await countEndingLater(tx, current, window),
      trialsEndingLater: await countTrialsEndingLater(tx, current, window),
      webhookStats: await readWebhookEventCounts(tx, current),
    }));
    const { metrics, endingLater, trialsEndingLater, webhookStats } = rows;
    const baseCurrency = await baseCurrencyOf(scope, project);
    const count = (metric: string) => Number(metrics.total(metric));
    const customers = metrics.total(METRIC.customers);
    const churnCounts = toChurnCounts(metrics, endingLater);
    const { active, ended } = churned(churnCounts);
    return {
      ...revenueMetrics(metrics.totals, baseCurrency),
      mrrByPrice: revenueByPrice(metrics.totals),
      customerCount: Number(customers),
      churnRate: churnRate(churnCounts),
      churn: { active: Number(active), ended: Number(ended) },
      trialConversion: trialConversion(toTrialCounts(metrics), trialsEndingLater),
      subscriptionBreakdown: breakdown(metrics),
      customerGrowth: markEstimated(
        customerGrowth(sampleDays(window, growthDays), customers, metrics.netNewCustomers, dayOf(time)),
        project?.estimatedUntil,
      ),
      webhookStats,
      referralStats: {
        totalCodes: count(METRIC.referralCodes),
        totalReferrals: count(METRIC.referrals),
        converted: count(METRIC.referralsConverted),
      },
      asOf: project?.newestEventAt ?? null,
    };
  };
}

function breakdown({ total }: Metrics): Analytics['subscriptionBreakdown'] {
  const counts = SUBSCRIPTION_STATUSES.map(status => [status, Number(total(statusMetric(status)))] as const);
  return Object.fromEntries(counts) as Analytics['subscriptionBreakdown']; // fromEntries types its keys as string; each status has an entry
}

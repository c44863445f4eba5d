import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { ProjectScope } from '@billing/contracts/ids';
import type { analyticsOperations } from '@billing/contracts/operations/analytics';
import { paginate } from '@billing/contracts/pagination';
import type { AnalyticsSubscription } from '@billing/contracts/resources/analytics';
import type { RpcClient } from '@billing/messaging/rpc';
import { churned, churnRate } from '#domain/churn.ts';
import { leftOutReason, liveCounts } from '#domain/left-out.ts';
import { parseLiveMetric } from '#domain/metrics.ts';
import { mrrIn } from '#domain/mrr.ts';
import { windowOf } from '#domain/window.ts';
import { countEndingLater, listLive, listLost, type SubscriptionRow } from '#persistence/listed-subscriptions.ts';
import { readMetrics, toChurnCounts } from '#persistence/metrics.ts';
import { findProject, readProject, type GenerationScope } from '#persistence/projects.ts';
import { findBaseCurrency } from './find-base-currency.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly now: () => Date;
}

type Query = z.output<typeof analyticsOperations.listAnalyticsSubscriptions.query>;
type Listed = z.output<typeof analyticsOperations.listAnalyticsSubscriptions.response>;

/** A page of the subscriptions behind a metric, how many there are, and the metric. */
interface Found {
  readonly rows: readonly SubscriptionRow[];
  readonly count: bigint;
  readonly total: number;
}

/**
 * Lists a page of the subscriptions behind a metric, with the metric itself, in one snapshot: those that `mrr` adds up, those
 * that it leaves out, wholly or in part, or those that `churnRate` counts as lost. Reads no rows beyond the page.
 * @throws Problem 503 when no event has named the base currency and the gateway does not reply
 */
export function listSubscriptions({ em, rpc, now }: Dependencies) {
  const baseCurrencyOf = findBaseCurrency({ em, rpc });
  return async (scope: ProjectScope, query: Query): Promise<Listed> => {
    const baseCurrency = await baseCurrencyOf(scope, await findProject(em, scope));
    const { rows: found } = await readProject(em, scope, (tx, current) =>
      query.metric === 'churn'
        ? findLost(tx, current, query, now())
        : findLive(tx, current, query, baseCurrency, now()),
    );
    const subscriptions = found.rows.map(row => toResource(row, query.metric, baseCurrency));
    const pagination = paginate(query, subscriptions.length, Number(found.count));
    return { subscriptions, total: found.total, pagination };
  };
}

async function findLost(tx: EntityManager, current: GenerationScope, query: Query, now: Date): Promise<Found> {
  const window = windowOf(now, query.growthDays);
  const metrics = await readMetrics(tx, current, window);
  const counts = toChurnCounts(metrics, await countEndingLater(tx, current, window));
  const rows = await listLost(tx, current, window, query);
  return { rows, count: churned(counts).lost, total: churnRate(counts) };
}

async function findLive(
  tx: EntityManager,
  current: GenerationScope,
  query: Query,
  baseCurrency: string,
  now: Date,
): Promise<Found> {
  const { totals } = await readMetrics(tx, current, windowOf(now, query.growthDays));
  const groups = liveCounts(totals, baseCurrency).filter(({ group, reason }) =>
    query.metric === 'mrr' ? group.currency === baseCurrency && group.isCounted : reason !== null,
  );
  const names = groups.map(({ metric }) => metric);
  const rows = await listLive(tx, current, names, query);
  const count = groups.reduce((sum, group) => sum + group.count, 0n);
  return { rows, count, total: query.metric === 'mrr' ? mrrIn(baseCurrency, totals) : Number(count) };
}

function toResource(row: SubscriptionRow, metric: Query['metric'], baseCurrency: string): AnalyticsSubscription {
  const { id: subscriptionId, customerId, status, amount, liveMetric } = row;
  const group = metric === 'excluded' && liveMetric !== null ? parseLiveMetric(liveMetric) : undefined;
  const reason = group ? leftOutReason(group, baseCurrency) : null;
  return { subscriptionId, customerId, status, currency: row.currency ?? baseCurrency, amount, reason };
}

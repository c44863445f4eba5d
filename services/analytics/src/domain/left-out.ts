import type { ExclusionReason } from '@billing/contracts/resources/analytics';
import { parseLiveMetric, type LiveGroup } from './metrics.ts';

/** Returns why `mrr` leaves out subscriptions of a group, wholly or in part; null when it counts all that they bill. */
export function leftOutReason({ currency, leftOut }: LiveGroup, baseCurrency: string): ExclusionReason | null {
  return currency === baseCurrency || leftOut === 'testClock' ? leftOut : 'otherCurrency';
}

/** A metric that counts active and trialing subscriptions, and what it says about them. */
interface LiveCount {
  readonly metric: string;
  readonly count: bigint;
  readonly group: LiveGroup;
  readonly reason: ExclusionReason | null;
}

/** Returns the groups of active and trialing subscriptions among a project's metrics. */
export function liveCounts(totals: ReadonlyMap<string, bigint>, baseCurrency: string): LiveCount[] {
  return [...totals].flatMap(([metric, count]) => {
    const group = count > 0n ? parseLiveMetric(metric) : undefined;
    return group ? [{ metric, count, group, reason: leftOutReason(group, baseCurrency) }] : [];
  });
}

import { toDecimalText } from '@billing/contracts/decimal-text';
import type { CustomerId } from '@billing/contracts/ids';
import { sumTerms } from '@billing/contracts/item-revenue';
import type { AnalyticsCustomer } from '@billing/contracts/resources/analytics';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { parseRevenueMetric } from './metrics.ts';

/** The statuses of subscriptions, the best for a customer first. */
const BEST_FIRST: readonly SubscriptionStatus[] = [
  'active',
  'trialing',
  'past_due',
  'unpaid',
  'paused',
  'incomplete',
  'canceled',
  'incomplete_expired',
];

/** How many subscriptions of a customer are in a status. */
export interface StatusCount {
  readonly status: SubscriptionStatus;
  readonly count: number;
}

/** Returns what a customer adds to the metrics; `totals` are the sums of its subscriptions' contributions, by metric. */
export function customerMetrics(
  customerId: CustomerId,
  counts: readonly StatusCount[],
  totals: ReadonlyMap<string, bigint>,
): AnalyticsCustomer {
  // Paused revenue is counted in its status too.
  const terms = [...totals]
    .flatMap(([metric, amount]) => parseRevenueMetric(metric, amount) ?? [])
    .filter(({ status, numerator }) => status !== 'paused' && numerator !== 0n);
  const currencies = [...new Set(terms.map(({ currency }) => currency))].toSorted();
  return {
    customerId,
    status: BEST_FIRST.find(status => counts.some(it => it.status === status)) ?? null,
    subscriptions: counts.reduce((sum, { count }) => sum + count, 0),
    mrr: currencies.map(currency => ({
      currency,
      amount: toDecimalText(sumTerms(terms.filter(term => term.currency === currency))),
    })),
  };
}

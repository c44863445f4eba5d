import type { CustomerState } from '@billing/contracts/events/customers';
import type { ReferralState } from '@billing/contracts/events/referrals';
import { itemRevenue, unpricedReason, type PricedItem } from '@billing/contracts/item-revenue';
import {
  allTime,
  clockedMetric,
  liveMetric,
  METRIC,
  onDay,
  pausedRevenueMetric,
  priceRevenueMetric,
  priceSubscriptionsMetric,
  revenueMetric,
  statusMetric,
  type Contribution,
} from './metrics.ts';
import type { CountedSubscription } from './counted-subscription.ts';
import { discountContributions } from './discounts.ts';
import { currencyOf, faceValue, isLive } from './revenue.ts';
import { lifetimeContributions } from './lifetimes.ts';
import { movementContributions } from './movements.ts';
import { timelineOf, type Lived } from './timeline.ts';
import { trialContributions } from './trials.ts';
import { dayOf, laterOf } from './utc-day.ts';

/** A customer counts from its creation to its deletion; one on a test clock nowhere, nor in the past. */
export function customerContributions({
  createdAt,
  deletedAt,
  testClock,
}: Pick<CustomerState, 'createdAt' | 'deletedAt'> & { readonly testClock: object | null }): Contribution[] {
  if (testClock) return [];
  const created = onDay(METRIC.netNewCustomers, dayOf(createdAt));
  if (!deletedAt) return [allTime(METRIC.customers), created];
  return [created, onDay(METRIC.netNewCustomers, dayOf(laterOf(createdAt, deletedAt)), -1n)];
}

/**
 * A subscription counts in its status and, while active or trialing, in revenue. Its movements, its lifetimes and its trial
 * follow from all states that it was in. One on a test clock is only counted as left out, and has no past.
 */
export function subscriptionContributions(
  state: Lived & Pick<CountedSubscription, 'pauseCollection' | 'items' | 'discounts' | 'testClockId'>,
): Contribution[] {
  const { status, items, pauseCollection, testClockId } = state;
  const live = liveMetricOf(state);
  const inGroup = live === null ? [] : [allTime(live)];
  if (testClockId !== null) return inGroup;
  const timeline = timelineOf(state);
  const always = [
    allTime(statusMetric(status)),
    ...movementContributions(timeline),
    ...lifetimeContributions(timeline),
    ...trialContributions(state, timeline),
  ];
  if (!isLive(status)) return always;
  const revenue = faceValue(items);
  return [
    ...always,
    ...inGroup,
    ...revenue.map(term => allTime(revenueMetric(status, term), term.numerator)),
    ...priceContributions(items),
    ...discountContributions(state),
    ...(pauseCollection ? revenue.map(term => allTime(pausedRevenueMetric(term), term.numerator)) : []),
  ];
}

/** What a subscription adds to its prices: itself to each, and the revenue of its items. */
function priceContributions(items: CountedSubscription['items']): Contribution[] {
  const priced = Map.groupBy(items, ({ priceId }) => priceId);
  return [...priced].flatMap(([priceId, ofPrice]) => {
    if (priceId === null) return [];
    const revenue = faceValue(ofPrice).map(term => allTime(priceRevenueMetric(priceId, term), term.numerator));
    return [allTime(priceSubscriptionsMetric(priceId)), ...revenue];
  });
}

/** The metric in which a subscription counts while active or trialing; else null, and without items. */
export function liveMetricOf({
  status,
  items,
  testClockId,
}: Pick<CountedSubscription, 'status' | 'testClockId'> & { readonly items: readonly PricedItem[] }): string | null {
  const currency = isLive(status) ? currencyOf(items) : null;
  if (currency === null) return null;
  if (testClockId !== null) return clockedMetric(currency);
  const ofItems = items.filter(item => item.currency === currency);
  const reasons = new Set(ofItems.map(unpricedReason));
  return liveMetric({
    currency,
    isCounted: ofItems.some(item => itemRevenue(item) !== undefined),
    leftOut: reasons.has('tiered') ? 'tiered' : reasons.has('metered') ? 'metered' : null,
  });
}

/** A referral code counts forever, also when deactivated. */
export const referralCodeContributions = (): Contribution[] => [allTime(METRIC.referralCodes)];

export const referralContributions = ({ status }: Pick<ReferralState, 'status'>): Contribution[] =>
  status === 'converted'
    ? [allTime(METRIC.referrals), allTime(METRIC.referralsConverted)]
    : [allTime(METRIC.referrals)];

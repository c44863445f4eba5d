import type { CustomerState } from '@billing/contracts/events/customers';
import type { ReferralState } from '@billing/contracts/events/referrals';
import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import type { WebhookEventStatus } from '@billing/contracts/resources/webhook-event';
import {
  allTime,
  inHour,
  LIFETIME_METRIC,
  METRIC,
  onDay,
  revenueMetric,
  statusMetric,
  type Contribution,
} from './metrics.ts';
import type { PricedItem, RevenueTerm } from './revenue.ts';
import { dayOf, hourOf, laterOf } from './utc-day.ts';

/** The part of a subscription's state that is counted. */
export interface CountedSubscription extends Pick<
  SubscriptionState,
  'id' | 'projectId' | 'status' | 'startedAt' | 'endedAt' | 'currentPeriodEnd' | 'version'
> {
  readonly items: readonly PricedItem[];
}

/** When an activated subscription started and ended; the end is never before the start. */
export interface Lifetime {
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

/** A customer counts from its creation to its deletion. */
export function customerContributions({
  createdAt,
  deletedAt,
}: Pick<CustomerState, 'createdAt' | 'deletedAt'>): Contribution[] {
  const created = onDay(METRIC.netNewCustomers, dayOf(createdAt));
  if (!deletedAt) return [allTime(METRIC.customers), created];
  return [created, onDay(METRIC.netNewCustomers, dayOf(laterOf(createdAt, deletedAt)), -1n)];
}

/** A subscription counts in its status, in revenue while active or trialing, and in churn by its lifetime. */
export function subscriptionContributions(
  status: SubscriptionStatus,
  { revenue, lifetime }: { readonly revenue: readonly RevenueTerm[]; readonly lifetime: Lifetime | null },
): Contribution[] {
  return [
    allTime(statusMetric(status)),
    ...revenueContributions(status, revenue),
    ...(lifetime ? lifetimeContributions(lifetime) : []),
  ];
}

/** Statuses of subscriptions that were never activated; churn ignores them. */
const NEVER_ACTIVATED: ReadonlySet<SubscriptionStatus> = new Set(['incomplete', 'incomplete_expired']);

/** The lifetime of a subscription; null if it was never activated. */
export function lifetimeOf(state: CountedSubscription): Lifetime | null {
  if (NEVER_ACTIVATED.has(state.status)) return null;
  const endedAt = endOf(state);
  return { startedAt: state.startedAt, endedAt: endedAt && laterOf(state.startedAt, endedAt) };
}

/** When a subscription ended. A canceled one without `endedAt` ended with its billing period. */
export const endOf = ({ status, endedAt, currentPeriodEnd }: CountedSubscription): Date | null =>
  endedAt ?? (status === 'canceled' ? currentPeriodEnd : null);

const WEBHOOK_EVENT_CONTRIBUTIONS: Readonly<Record<WebhookEventStatus, readonly Contribution[]>> = {
  processed: [allTime(METRIC.webhookEvents), allTime(METRIC.webhookEventsProcessed)],
  failed: [allTime(METRIC.webhookEvents), allTime(METRIC.webhookEventsFailed)],
  received: [allTime(METRIC.webhookEvents)],
  ignored: [allTime(METRIC.webhookEvents)],
};

/** A webhook event counts once for its project, whatever its outcome. */
export const webhookEventContributions = (status: WebhookEventStatus): readonly Contribution[] =>
  WEBHOOK_EVENT_CONTRIBUTIONS[status];

/** A referral code counts forever, also when deactivated. */
export const referralCodeContributions = (): Contribution[] => [allTime(METRIC.referralCodes)];

export const referralContributions = ({ status }: Pick<ReferralState, 'status'>): Contribution[] =>
  status === 'converted'
    ? [allTime(METRIC.referrals), allTime(METRIC.referralsConverted)]
    : [allTime(METRIC.referrals)];

function revenueContributions(status: SubscriptionStatus, revenue: readonly RevenueTerm[]): Contribution[] {
  if (status !== 'active' && status !== 'trialing') return [];
  return revenue.map(({ currency, intervalCount, numerator }) =>
    allTime(revenueMetric(status, currency, intervalCount), numerator),
  );
}

function lifetimeContributions({ startedAt, endedAt }: Lifetime): Contribution[] {
  const started = byDayAndHour(LIFETIME_METRIC.started, startedAt);
  if (!endedAt) return [...started, allTime(METRIC.ongoing)];
  return [
    ...started,
    ...byDayAndHour(LIFETIME_METRIC.startedAndEnded, startedAt),
    ...byDayAndHour(LIFETIME_METRIC.ended, endedAt),
  ];
}

const byDayAndHour = ({ daily, hourly }: { daily: string; hourly: string }, time: Date): Contribution[] => [
  onDay(daily, dayOf(time)),
  inHour(hourly, hourOf(time)),
];

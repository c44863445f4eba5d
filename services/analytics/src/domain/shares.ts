import type { CustomerState } from '@billing/contracts/events/customers';
import type { ReferralState } from '@billing/contracts/events/referrals';
import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import type { WebhookEventStatus } from '@billing/contracts/resources/webhook-event';
import {
  FIGURE,
  inHour,
  LIFETIME_FIGURE,
  onDay,
  overAll,
  recurringFigure,
  statusFigure,
  type Share,
} from './figures.ts';
import { worthOf } from './revenue.ts';
import { dayOf, hourOf } from './utc-day.ts';

/** When an activated subscription began and ended; ended is never before began. */
export interface Lifetime {
  readonly beganAt: Date;
  readonly endedAt: Date | null;
}

/** A customer counts from its creation to its deletion. */
export function sharesOfCustomer({ createdAt, deletedAt }: Pick<CustomerState, 'createdAt' | 'deletedAt'>): Share[] {
  const gained = onDay(FIGURE.customersGained, dayOf(createdAt));
  if (!deletedAt) return [overAll(FIGURE.customers), gained];
  return [gained, onDay(FIGURE.customersGained, dayOf(later(createdAt, deletedAt)), -1n)];
}

/** A subscription counts in its status, in the revenue while active or trialing, and by its lifetime in the churn. */
export function sharesOfSubscription(state: SubscriptionState, lifetime: Lifetime | null): Share[] {
  return [overAll(statusFigure(state.status)), ...revenueShares(state), ...(lifetime ? lifetimeShares(lifetime) : [])];
}

/** Never activated: neither lost nor there to be lost. */
const NEVER_ACTIVATED: ReadonlySet<SubscriptionStatus> = new Set(['incomplete', 'incomplete_expired']);

/** The lifetime of a subscription that was activated, else null. */
export function lifetimeOf(state: SubscriptionState): Lifetime | null {
  if (NEVER_ACTIVATED.has(state.status)) return null;
  const endedAt = endOf(state);
  return { beganAt: state.startedAt, endedAt: endedAt && later(state.startedAt, endedAt) };
}

/** When a subscription ended; a canceled one that does not say so ended with its period. */
export const endOf = ({ status, endedAt, currentPeriodEnd }: SubscriptionState): Date | null =>
  endedAt ?? (status === 'canceled' ? currentPeriodEnd : null);

/** An event counts once for its project, whatever became of it. */
export function sharesOfWebhookEvent(status: WebhookEventStatus): Share[] {
  const settled = { processed: FIGURE.webhooksProcessed, failed: FIGURE.webhooksFailed, received: null, ignored: null };
  const figure = settled[status];
  return [overAll(FIGURE.webhooks), ...(figure ? [overAll(figure)] : [])];
}

/** A code counts for good, deactivated or not. */
export const sharesOfCode = (): Share[] => [overAll(FIGURE.codes)];

export const sharesOfReferral = ({ status }: Pick<ReferralState, 'status'>): Share[] =>
  status === 'converted'
    ? [overAll(FIGURE.referrals), overAll(FIGURE.referralsConverted)]
    : [overAll(FIGURE.referrals)];

function revenueShares(state: SubscriptionState): Share[] {
  const { status } = state;
  if (status !== 'active' && status !== 'trialing') return [];
  return worthOf(state).map(({ currency, intervalCount, numerator }) =>
    overAll(recurringFigure(status, currency, intervalCount), numerator),
  );
}

function lifetimeShares({ beganAt, endedAt }: Lifetime): Share[] {
  const began = counted(LIFETIME_FIGURE.began, beganAt);
  if (!endedAt) return [...began, overAll(FIGURE.living)];
  return [...began, ...counted(LIFETIME_FIGURE.beganAndEnded, beganAt), ...counted(LIFETIME_FIGURE.ended, endedAt)];
}

const counted = ({ daily, hourly }: { daily: string; hourly: string }, instant: Date): Share[] => [
  onDay(daily, dayOf(instant)),
  inHour(hourly, hourOf(instant)),
];

const later = (a: Date, b: Date): Date => (a > b ? a : b);

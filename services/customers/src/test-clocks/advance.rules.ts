import { hasEnded } from '@billing/contracts/resources/subscription';
import type { Interval } from '@billing/contracts/resources/price';
import type { ClockTarget } from '@billing/contracts/resources/test-clock';
import type { SubscriptionSnapshot } from '@billing/processor/port';

const DAY_MS = 86_400_000;
const YEARS_AHEAD = 2;
/** https://docs.stripe.com/billing/testing/test-clocks/api-advanced-usage#advance-clock */
const INTERVALS_AHEAD = 2;

/** What of a subscription decides how far its clock advances. */
export type ClockedSubscription = Pick<
  SubscriptionSnapshot,
  'status' | 'currentPeriodEnd' | 'trialEnd' | 'cancelAt'
> & {
  readonly items: readonly {
    readonly price: { readonly interval: Interval | null; readonly intervalCount: number | null };
  }[];
};

/** Returns the latest time that a clock can be advanced to, in however many steps: two years ahead. */
export const latestTarget = (time: Date): Date => later(time, 'year', YEARS_AHEAD);

/** Returns how far the processor advances a clock at once: by two of the shortest intervals, or two years without any. */
export function latestStep(time: Date, subscriptions: readonly Pick<ClockedSubscription, 'items'>[]): Date {
  const ends = subscriptions
    .flatMap(({ items }) => items)
    .flatMap(({ price: { interval, intervalCount } }) =>
      interval === null ? [] : [later(time, interval, INTERVALS_AHEAD * (intervalCount ?? 1))],
    );
  return earliest([...ends, latestTarget(time)]) ?? latestTarget(time);
}

/**
 * Returns where a clock first comes to what is wanted; null when none of its subscriptions comes to it. `drafts` are the times at
 * which drafts of its customers are finalized.
 */
export function targetOf(
  until: ClockTarget,
  {
    time,
    subscriptions,
    drafts,
  }: {
    readonly time: Date;
    readonly subscriptions: readonly ClockedSubscription[];
    readonly drafts: readonly Date[];
  },
): Date | null {
  const live = subscriptions.filter(({ status }) => status !== null && !hasEnded(status));
  const times = {
    next_invoice: [...drafts, ...live.filter(renews).map(it => it.currentPeriodEnd)],
    trial_end: live.flatMap(({ status, trialEnd }) => (status === 'trialing' && trialEnd ? [trialEnd] : [])),
    period_end: live.map(it => it.currentPeriodEnd),
  };
  return earliest(times[until].filter(it => it > time));
}

const RENEWING: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due']);

/** Whether the end of its period brings an invoice. */
const renews = ({ status, cancelAt, currentPeriodEnd }: ClockedSubscription): boolean =>
  status !== null && RENEWING.has(status) && (cancelAt === null || cancelAt > currentPeriodEnd);

const earliest = (times: readonly Date[]): Date | null =>
  times.length === 0 ? null : new Date(Math.min(...times.map(it => it.getTime())));

/** Adds intervals in UTC; the day stays within its month. */
function later(time: Date, interval: Interval, count: number): Date {
  if (interval === 'day' || interval === 'week')
    return new Date(time.getTime() + count * (interval === 'week' ? 7 : 1) * DAY_MS);
  const moved = new Date(time);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + count * (interval === 'year' ? 12 : 1));
  const daysOfMonth = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(time.getUTCDate(), daysOfMonth));
  return moved;
}

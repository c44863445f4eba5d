import type { CustomerState } from '@billing/contracts/events/customers';
import type { ReferralState } from '@billing/contracts/events/referrals';
import type { BilledItem, SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { Analytics, AnalyticsHistory } from '@billing/contracts/resources/analytics';
import { SUBSCRIPTION_STATUSES } from '@billing/contracts/resources/subscription';
import type { WebhookEvent } from '@billing/contracts/resources/webhook-event';

/** The newest state of everything in a project: what a recomputation would read. */
export interface SourceRows {
  readonly customers: readonly CustomerState[];
  readonly subscriptions: readonly SubscriptionState[];
  readonly webhookEvents: readonly WebhookEvent[];
  readonly codes: number;
  readonly referrals: readonly ReferralState[];
  /** What each subscription went through: every version in its order, with when it was recorded. */
  readonly subscriptionVersions: readonly (readonly RecordedVersion[])[];
}

export interface RecordedVersion {
  readonly state: SubscriptionState;
  readonly recordedAt: Date;
}

const DAY = 86_400_000;

/** The figures as the definitions read, computed the slow way from the rows themselves. */
export function slowAnalytics(rows: SourceRows, baseCurrency: string, now: Date, growthDays: number) {
  const start = new Date(now.getTime() - growthDays * DAY);
  const paying = rows.subscriptions.filter(it => it.status === 'active' || it.status === 'trialing');
  const trialing = paying.filter(it => it.status === 'trialing');
  const currencies = new Set([
    baseCurrency,
    ...paying.flatMap(it => it.items.filter(earns).map(item => item.currency)),
  ]);
  const customerCount = rows.customers.filter(it => !it.deletedAt).length;
  return {
    mrr: monthly(paying, baseCurrency),
    mrrTrialing: monthly(trialing, baseCurrency),
    mrrByCurrency: Object.fromEntries([...currencies].map(currency => [currency, monthly(paying, currency)])),
    customerCount,
    churnRate: churn(rows.subscriptions, start, now),
    subscriptionBreakdown: Object.fromEntries(
      SUBSCRIPTION_STATUSES.map(status => [status, rows.subscriptions.filter(it => it.status === status).length]),
    ),
    customerGrowth: growth(rows.customers, customerCount, start, now, growthDays),
    webhookStats: {
      total: rows.webhookEvents.length,
      processed: rows.webhookEvents.filter(it => it.status === 'processed').length,
      failed: rows.webhookEvents.filter(it => it.status === 'failed').length,
    },
    referralStats: {
      totalCodes: rows.codes,
      totalReferrals: rows.referrals.length,
      converted: rows.referrals.filter(it => it.status === 'converted').length,
    },
  } satisfies Omit<Analytics, 'asOf' | 'subscriptionBreakdown'> & { subscriptionBreakdown: Record<string, number> };
}

/** One denominator for every possible term: 12 times the product of the interval counts. */
function monthly(subscriptions: readonly SubscriptionState[], currency: string): number {
  const items = subscriptions.flatMap(it => it.items).filter(item => item.currency === currency && earns(item));
  const denominator = items.reduce((product, item) => product * BigInt(item.intervalCount ?? 1), 12n);
  const perYear = { month: 12n, year: 1n, week: 52n, day: 365n };
  const numerator = items.reduce((sum, { unitAmount, quantity, interval, intervalCount }) => {
    if (unitAmount === null || interval === null) return sum;
    const yearly = BigInt(unitAmount) * BigInt(quantity) * perYear[interval];
    return sum + (yearly * (denominator / 12n)) / BigInt(intervalCount ?? 1);
  }, 0n);
  // Half up, of what is not negative.
  return Number((numerator + denominator / 2n) / denominator);
}

const earns = (item: BilledItem) =>
  item.interval !== null && !item.metered && item.unitAmount !== null && item.unitAmount * item.quantity !== 0;

function churn(subscriptions: readonly SubscriptionState[], start: Date, now: Date): number {
  const activated = subscriptions.filter(it => it.status !== 'incomplete' && it.status !== 'incomplete_expired');
  const atStart = activated.filter(it => it.startedAt <= start && (!it.endedAt || it.endedAt > start));
  const lost = atStart.filter(it => it.endedAt && it.endedAt < now);
  return atStart.length === 0 ? 0 : Math.floor((lost.length * 20_000 + atStart.length) / (2 * atStart.length)) / 100;
}

function growth(customers: readonly CustomerState[], total: number, start: Date, now: Date, growthDays: number) {
  const dayOf = (instant: Date) => Math.floor(instant.getTime() / DAY);
  const dateOf = (day: number) => new Date(day * DAY).toISOString().slice(0, 10);
  const there = (day: number) =>
    customers.filter(it => dayOf(it.createdAt) <= day && !(it.deletedAt && dayOf(it.deletedAt) <= day)).length;
  const step = Math.max(1, Math.ceil(growthDays / 30));
  const points = [];
  for (let day = dayOf(start); day < dayOf(now); day += step) points.push({ date: dateOf(day), count: there(day) });
  return [...points, { date: dateOf(dayOf(now)), count: total }];
}

/** One minor unit in parts so small that every price has a whole number of them a month. */
const PARTS =
  12n * Array.from({ length: 1_095 }, (_, index) => BigInt(index + 1)).reduce((a, b) => (a / gcd(a, b)) * b);

/** The days of the history as the README defines them, computed the slow way from all versions of all subscriptions. */
export function slowHistory(rows: SourceRows, currency: string, now: Date, days: number) {
  const changes = rows.subscriptionVersions.flatMap(versions => changesOf(versions, currency));
  const today = dayNumber(now);
  // What is dated later belongs to today.
  const dayWithin = (instant: Date) => Math.min(dayNumber(instant), today);
  return Array.from({ length: days }, (_, index) => {
    const day = today - days + 1 + index;
    const moved = (why: string) =>
      changes.filter(it => it.why === why && dayWithin(it.at) === day).map(({ by }) => (by < 0n ? -by : by));
    return {
      date: new Date(day * DAY).toISOString().slice(0, 10),
      mrr: roundedSum(changes.filter(it => dayWithin(it.at) <= day).map(({ by }) => by)),
      customerCount: rows.customers.filter(
        it => dayWithin(it.createdAt) <= day && !(it.deletedAt && dayWithin(it.deletedAt) <= day),
      ).length,
      newMrr: roundedSum(moved('new')),
      expansionMrr: roundedSum(moved('expansion')),
      contractionMrr: roundedSum(moved('contraction')),
      churnedMrr: roundedSum(moved('churned')),
    };
  }) satisfies AnalyticsHistory['history'];
}

/** Every change of what a subscription brings a month: by how many parts, when and why. */
function changesOf(versions: readonly RecordedVersion[], currency: string) {
  const changes: { by: bigint; at: Date; why: string }[] = [];
  let worth = 0n;
  let at = new Date(0);
  for (const [index, { state, recordedAt }] of versions.entries()) {
    const by = partsOf(state, currency) - worth;
    if (by === 0n) continue;
    // The first version holds since the subscription began, an end since it ended, all else since it was recorded.
    const since = state.endedAt ?? (index === 0 ? state.startedAt : recordedAt);
    if (since > at) at = since;
    const whyMore = changes.length === 0 ? 'new' : 'expansion';
    const whyLess = state.endedAt ? 'churned' : 'contraction';
    changes.push({ by, at, why: by > 0n ? whyMore : whyLess });
    worth += by;
  }
  return changes;
}

function partsOf({ status, items }: SubscriptionState, currency: string): bigint {
  if (status !== 'active' && status !== 'trialing') return 0n;
  const perYear = { month: 12n, year: 1n, week: 52n, day: 365n };
  const parts = items.map(({ unitAmount, quantity, interval, intervalCount, metered, currency: its }) => {
    if (its !== currency || unitAmount === null || interval === null || metered) return 0n;
    return (BigInt(unitAmount * quantity) * perYear[interval] * PARTS) / (12n * BigInt(intervalCount ?? 1));
  });
  return parts.reduce((sum, it) => sum + it, 0n);
}

/** Minor units, half up, of what is not negative. */
function roundedSum(parts: readonly bigint[]): number {
  const sum = parts.reduce((all, it) => all + it, 0n);
  return Number((sum + PARTS / 2n) / PARTS);
}

const dayNumber = (instant: Date) => Math.floor(instant.getTime() / DAY);

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}

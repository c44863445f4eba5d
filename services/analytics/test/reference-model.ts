import type { CustomerState } from '@billing/contracts/events/customers';
import type { ReferralState } from '@billing/contracts/events/referrals';
import type { BilledItem, SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { Analytics, AnalyticsHistory } from '@billing/contracts/resources/analytics';
import { SUBSCRIPTION_STATUSES } from '@billing/contracts/resources/subscription';
import type { WebhookEvent } from '@billing/contracts/resources/webhook-event';

/** The newest state of every record of a project, as the services that own them store it. */
export interface ProjectRecords {
  readonly customers: readonly CustomerState[];
  readonly subscriptions: readonly SubscriptionState[];
  readonly webhookEvents: readonly WebhookEvent[];
  readonly codes: number;
  readonly referrals: readonly ReferralState[];
  /** Every version of each subscription, in order, with the time it was recorded. */
  readonly subscriptionVersions: readonly (readonly RecordedVersion[])[];
}

export interface RecordedVersion {
  readonly state: SubscriptionState;
  readonly recordedAt: Date;
}

const DAY = 86_400_000;

/** The metrics as the specification defines them, computed directly from the records. */
export function expectedAnalytics(records: ProjectRecords, baseCurrency: string, now: Date, growthDays: number) {
  const start = new Date(now.getTime() - growthDays * DAY);
  const earning = records.subscriptions.filter(it => it.status === 'active' || it.status === 'trialing');
  const trialing = earning.filter(it => it.status === 'trialing');
  const currencies = new Set([
    baseCurrency,
    ...earning.flatMap(it => it.items.filter(hasRevenue).map(item => item.currency)),
  ]);
  const customerCount = records.customers.filter(it => !it.deletedAt).length;
  return {
    mrr: monthly(earning, baseCurrency),
    mrrTrialing: monthly(trialing, baseCurrency),
    mrrByCurrency: Object.fromEntries([...currencies].map(currency => [currency, monthly(earning, currency)])),
    customerCount,
    churnRate: churn(records.subscriptions, start, now),
    subscriptionBreakdown: Object.fromEntries(
      SUBSCRIPTION_STATUSES.map(status => [status, records.subscriptions.filter(it => it.status === status).length]),
    ),
    customerGrowth: growth(records.customers, customerCount, start, now, growthDays),
    webhookStats: {
      total: records.webhookEvents.length,
      processed: records.webhookEvents.filter(it => it.status === 'processed').length,
      failed: records.webhookEvents.filter(it => it.status === 'failed').length,
    },
    referralStats: {
      totalCodes: records.codes,
      totalReferrals: records.referrals.length,
      converted: records.referrals.filter(it => it.status === 'converted').length,
    },
  } satisfies Omit<Analytics, 'asOf' | 'subscriptionBreakdown'> & { subscriptionBreakdown: Record<string, number> };
}

/** One denominator for every possible term: 12 times the product of the interval counts. */
function monthly(subscriptions: readonly SubscriptionState[], currency: string): number {
  const items = subscriptions.flatMap(it => it.items).filter(item => item.currency === currency && hasRevenue(item));
  const denominator = items.reduce((product, item) => product * BigInt(item.intervalCount ?? 1), 12n);
  const perYear = { month: 12n, year: 1n, week: 52n, day: 365n };
  const numerator = items.reduce((sum, { unitAmount, quantity, interval, intervalCount }) => {
    if (unitAmount === null || interval === null) return sum;
    const yearly = BigInt(unitAmount) * BigInt(quantity) * perYear[interval];
    return sum + (yearly * (denominator / 12n)) / BigInt(intervalCount ?? 1);
  }, 0n);
  // Rounds half up; the sum is not negative.
  return Number((numerator + denominator / 2n) / denominator);
}

const hasRevenue = (item: BilledItem) =>
  item.interval !== null && !item.metered && item.unitAmount !== null && item.unitAmount * item.quantity !== 0;

function churn(subscriptions: readonly SubscriptionState[], start: Date, now: Date): number {
  const activated = subscriptions.filter(it => it.status !== 'incomplete' && it.status !== 'incomplete_expired');
  const atStart = activated.filter(it => it.startedAt <= start && (!it.endedAt || it.endedAt > start));
  const lost = atStart.filter(it => it.endedAt && it.endedAt < now);
  return atStart.length === 0 ? 0 : Math.floor((lost.length * 20_000 + atStart.length) / (2 * atStart.length)) / 100;
}

function growth(customers: readonly CustomerState[], total: number, start: Date, now: Date, growthDays: number) {
  const dateOf = (day: number) => new Date(day * DAY).toISOString().slice(0, 10);
  const customersOn = (day: number) =>
    customers.filter(it => dayNumber(it.createdAt) <= day && !(it.deletedAt && dayNumber(it.deletedAt) <= day)).length;
  const step = Math.max(1, Math.ceil(growthDays / 30));
  const points = [];
  for (let day = dayNumber(start); day < dayNumber(now); day += step)
    points.push({ date: dateOf(day), count: customersOn(day) });
  return [...points, { date: dateOf(dayNumber(now)), count: total }];
}

/** How many parts make one minor unit, so that the monthly revenue of every price is a whole number of parts. */
const PARTS =
  12n * Array.from({ length: 1_095 }, (_, index) => BigInt(index + 1)).reduce((a, b) => (a / gcd(a, b)) * b);

/** The daily history as the README defines it, computed directly from all versions of all subscriptions. */
export function expectedHistory(records: ProjectRecords, currency: string, now: Date, days: number) {
  const changes = records.subscriptionVersions.flatMap(versions => changesOf(versions, currency));
  const today = dayNumber(now);
  // Everything dated later belongs to today.
  const dayWithin = (time: Date) => Math.min(dayNumber(time), today);
  return Array.from({ length: days }, (_, index) => {
    const day = today - days + 1 + index;
    const moved = (reason: string) =>
      changes.filter(it => it.reason === reason && dayWithin(it.at) === day).map(({ by }) => (by < 0n ? -by : by));
    return {
      date: new Date(day * DAY).toISOString().slice(0, 10),
      mrr: roundedSum(changes.filter(it => dayWithin(it.at) <= day).map(({ by }) => by)),
      customerCount: records.customers.filter(
        it => dayWithin(it.createdAt) <= day && !(it.deletedAt && dayWithin(it.deletedAt) <= day),
      ).length,
      newMrr: roundedSum(moved('new')),
      expansionMrr: roundedSum(moved('expansion')),
      contractionMrr: roundedSum(moved('contraction')),
      churnedMrr: roundedSum(moved('churned')),
    };
  }) satisfies AnalyticsHistory['history'];
}

/** Every change of a subscription's monthly revenue: by how many parts, when and why. */
function changesOf(versions: readonly RecordedVersion[], currency: string) {
  const changes: { by: bigint; at: Date; reason: string }[] = [];
  let revenue = 0n;
  let at = new Date(0);
  for (const [index, { state, recordedAt }] of versions.entries()) {
    const by = partsOf(state, currency) - revenue;
    if (by === 0n) continue;
    // The first version takes effect at the start, an end when it ended, any other version when it was recorded.
    const effectiveAt = state.endedAt ?? (index === 0 ? state.startedAt : recordedAt);
    if (effectiveAt > at) at = effectiveAt;
    const reasonToRise = changes.length === 0 ? 'new' : 'expansion';
    const reasonToFall = state.endedAt ? 'churned' : 'contraction';
    changes.push({ by, at, reason: by > 0n ? reasonToRise : reasonToFall });
    revenue += by;
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

/** Minor units, rounded half up; the sum must not be negative. */
function roundedSum(parts: readonly bigint[]): number {
  const sum = parts.reduce((all, it) => all + it, 0n);
  return Number((sum + PARTS / 2n) / PARTS);
}

const dayNumber = (time: Date) => Math.floor(time.getTime() / DAY);

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}

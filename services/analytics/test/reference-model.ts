import type { CustomerState } from '@billing/contracts/events/customers';
import type { ReferralState } from '@billing/contracts/events/referrals';
import type { BilledItem, SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { Analytics, AnalyticsHistory, ExclusionReason } from '@billing/contracts/resources/analytics';
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
  const earning = records.subscriptions.filter(isEarning);
  const mrrOf = (subscriptions: readonly SubscriptionState[], currency: string) =>
    roundedSum(subscriptions.map(it => partsOf(it, currency)));
  const currencies = new Set([
    baseCurrency,
    ...earning.flatMap(it => it.items.map(({ currency }) => currency).filter(currency => partsOf(it, currency) > 0n)),
  ]);
  const customerCount = records.customers.filter(it => !it.deletedAt).length;
  return {
    mrr: mrrOf(earning, baseCurrency),
    mrrTrialing: mrrOf(
      earning.filter(it => it.status === 'trialing'),
      baseCurrency,
    ),
    mrrPaused: mrrOf(
      earning.filter(it => it.pauseCollection),
      baseCurrency,
    ),
    mrrExcluded: {
      tiered: earning.filter(it => exclusionReason(it, baseCurrency) === 'tiered').length,
      metered: earning.filter(it => exclusionReason(it, baseCurrency) === 'metered').length,
      otherCurrency: earning.filter(it => exclusionReason(it, baseCurrency) === 'otherCurrency').length,
    },
    mrrByCurrency: Object.fromEntries([...currencies].map(currency => [currency, mrrOf(earning, currency)])),
    customerCount,
    churnRate: churn(records, start, now),
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

/** The subscriptions behind each metric, in the order of their list: the newest first, of the lost ones the last end. */
export function expectedSubscriptions(records: ProjectRecords, baseCurrency: string, now: Date, growthDays: number) {
  const start = new Date(now.getTime() - growthDays * DAY);
  const newestFirst = records.subscriptions.filter(isEarning).toSorted(descending(it => it.createdAt));
  const isPriced = (item: BilledItem) => item.interval !== null && !item.metered && decimalOf(item) !== null;
  return {
    mrr: newestFirst.filter(({ items }) => items.some(it => it.currency === baseCurrency && isPriced(it))),
    excluded: newestFirst.filter(it => exclusionReason(it, baseCurrency) !== null),
    churn: lostBetween(records, start, now).toSorted(descending(it => it.endedAt ?? now)),
  };
}

const descending = (timeOf: (it: SubscriptionState) => Date) => (one: SubscriptionState, other: SubscriptionState) =>
  timeOf(other).getTime() - timeOf(one).getTime() || (one.id < other.id ? -1 : 1);

const isEarning = ({ status }: SubscriptionState) => status === 'active' || status === 'trialing';

/** Why `mrr` leaves out a subscription, wholly or in part. */
export function exclusionReason({ items }: SubscriptionState, baseCurrency: string): ExclusionReason | null {
  const [first] = items;
  if (!first) return null;
  if (first.currency !== baseCurrency) return 'otherCurrency';
  const recurring = items.filter(({ interval }) => interval !== null);
  const hasNoAmount = (item: BilledItem) =>
    item.billingScheme === 'tiered' || (decimalOf(item) === null && !item.metered);
  if (recurring.some(hasNoAmount)) return 'tiered';
  return recurring.some(({ metered }) => metered) ? 'metered' : null;
}

function churn(records: ProjectRecords, start: Date, now: Date): number {
  const atStart = records.subscriptionVersions.filter(versions => wasLive(versions, start)).length;
  const lost = lostBetween(records, start, now).length;
  return atStart === 0 ? 0 : Math.floor((lost * 20_000 + atStart) / (2 * atStart)) / 100;
}

const lostBetween = (records: ProjectRecords, start: Date, now: Date): SubscriptionState[] =>
  records.subscriptionVersions.flatMap(versions => {
    const newest = versions.at(-1)?.state;
    return newest?.endedAt && newest.endedAt < now && wasLive(versions, start) ? [newest] : [];
  });

/**
 * Whether a subscription was active or trialing at a time, told from all of its versions. The first one takes effect at the
 * start, an end when it ended, another change when it was recorded, but never before the change ahead of it.
 */
function wasLive(versions: readonly RecordedVersion[], time: Date): boolean {
  const [first] = versions;
  const end = versions.at(-1)?.state.endedAt;
  if (!first || (end && end <= time)) return false;
  let isLive = false;
  let at = new Date(0);
  if (first.state.status === 'canceled') {
    // What is first seen canceled was active until then.
    [isLive, at] = [true, first.state.startedAt];
    if (at > time) return false;
  }
  for (const [index, { state, recordedAt }] of versions.entries()) {
    if (isEarning(state) === isLive) continue;
    const effectiveAt = state.endedAt ?? (index === 0 ? state.startedAt : recordedAt);
    if (effectiveAt > at) at = effectiveAt;
    if (at > time) break;
    isLive = !isLive;
  }
  return isLive;
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
  12n *
  10n ** 12n *
  Array.from({ length: 1_095 }, (_, index) => BigInt(index + 1)).reduce((a, b) => (a / gcd(a, b)) * b);

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

/** What a subscription adds to the monthly revenue in a currency, in parts. */
function partsOf(subscription: SubscriptionState, currency: string): bigint {
  return isEarning(subscription) && subscription.items[0]?.currency === currency ? faceParts(subscription) : 0n;
}

/** What a subscription is worth a month whatever its status, in parts. */
function faceParts({ items }: SubscriptionState): bigint {
  const perYear = { month: 12n, year: 1n, week: 52n, day: 365n };
  const parts = items.map(item => {
    const { interval, intervalCount, metered, billingScheme } = item;
    const decimal = decimalOf(item);
    if (interval === null || metered || billingScheme === 'tiered' || decimal === null) return 0n;
    const [digits = '', decimals = ''] = decimal.split('.');
    const trillionths = BigInt(digits + decimals.padEnd(12, '0'));
    return (trillionths * unitsOf(item) * perYear[interval] * PARTS) / 10n ** 12n / (12n * BigInt(intervalCount ?? 1));
  });
  return parts.reduce((sum, it) => sum + it, 0n);
}

const decimalOf = ({ unitAmount, unitAmountDecimal }: BilledItem): string | null =>
  unitAmountDecimal ?? (unitAmount === null ? null : String(unitAmount));

function unitsOf({ quantity, transformQuantity }: BilledItem): bigint {
  if (!transformQuantity) return BigInt(quantity);
  const { divideBy, round } = transformQuantity;
  const rest = quantity % divideBy;
  return BigInt((quantity - rest) / divideBy + (round === 'up' && rest > 0 ? 1 : 0));
}

/** Whether a decimal text is what a subscription is worth: exactly, or less than 10^-18 above where decimals have no end. */
export function isWorthOf(subscription: SubscriptionState, text: string): boolean {
  const [digits = '', decimals = ''] = text.split('.');
  const scale = 10n ** BigInt(decimals.length);
  const excess = BigInt(digits + decimals) * PARTS - faceParts(subscription) * scale;
  return excess === 0n || (decimals.length === 18 && excess > 0n && excess < PARTS);
}

/** The sum of decimal texts, rounded half up. */
export function roundedTexts(texts: readonly string[]): number {
  const longest = Math.max(0, ...texts.map(text => text.split('.')[1]?.length ?? 0));
  const scaled = texts.map(text => {
    const [digits = '', decimals = ''] = text.split('.');
    return BigInt(digits + decimals.padEnd(longest, '0'));
  });
  const scale = 10n ** BigInt(longest);
  return Number((2n * scaled.reduce((sum, it) => sum + it, 0n) + scale) / (2n * scale));
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

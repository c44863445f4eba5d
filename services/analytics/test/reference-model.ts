import type { CustomerState } from '@billing/contracts/events/customers';
import type { ReferralState } from '@billing/contracts/events/referrals';
import type { BilledItem, SubscriptionChange as SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { WebhookEventCounts } from '@billing/contracts/events/webhooks';
import type { Fraction } from '@billing/contracts/item-revenue';
import type { Analytics, ExclusionReason } from '@billing/contracts/resources/analytics';
import { SUBSCRIPTION_STATUSES } from '@billing/contracts/resources/subscription';
import type { Shown } from './states.ts';

/** The newest state of every record of a project, as the services that own them store it. */
export interface ProjectRecords {
  readonly customers: readonly CustomerState[];
  readonly subscriptions: readonly SubscriptionState[];
  readonly webhookEvents: Omit<WebhookEventCounts, 'version'>;
  readonly codes: number;
  readonly referrals: readonly ReferralState[];
  readonly lives: readonly Life[];
  /** The subscriptions on test clocks: they are in no other list. */
  readonly clocked: readonly SubscriptionState[];
}

/** Returns records without what lives on test clocks, but for the list of these subscriptions. */
export function inRealTime(records: Omit<ProjectRecords, 'clocked'>): ProjectRecords {
  const isClocked = ({ testClockId }: SubscriptionState) => testClockId !== null;
  return {
    ...records,
    customers: records.customers.filter(({ testClock }) => testClock === null),
    subscriptions: records.subscriptions.filter(it => !isClocked(it)),
    lives: records.lives.filter(({ newest }) => !isClocked(newest)),
    clocked: records.subscriptions.filter(isClocked),
  };
}

/** All that was shown of a subscription. */
export interface Life {
  readonly newest: SubscriptionState;
  /** Every state but the end, by its time. */
  readonly shown: readonly Shown[];
}

export const DAY = 86_400_000;

/** The metrics as the specification defines them, computed directly from the records. */
export function expectedAnalytics(records: ProjectRecords, baseCurrency: string, now: Date, growthDays: number) {
  const start = new Date(now.getTime() - growthDays * DAY);
  const earning = records.subscriptions.filter(isEarning);
  const mrrOf = (subscriptions: readonly SubscriptionState[], currency: string, months = 1n) =>
    roundedSum(subscriptions.map(it => months * partsOf(it, currency)));
  const currencies = new Set([
    baseCurrency,
    ...earning.flatMap(it => it.items.map(({ currency }) => currency).filter(currency => partsOf(it, currency) > 0n)),
  ]);
  const customerCount = records.customers.filter(it => !it.deletedAt).length;
  return {
    mrr: mrrOf(earning, baseCurrency),
    mrrDiscounted: rounded(
      earning
        .filter(({ items }) => items[0]?.currency === baseCurrency)
        .reduce((sum, it) => sum + discountedParts(it, now), 0n),
      DISCOUNTED_PARTS,
    ),
    arr: mrrOf(earning, baseCurrency, 12n),
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
      testClock: records.clocked.filter(it => isEarning(it) && exclusionReason(it, baseCurrency)).length,
    },
    mrrByCurrency: Object.fromEntries([...currencies].map(currency => [currency, mrrOf(earning, currency)])),
    mrrByPrice: revenueByPrice(earning),
    customerCount,
    churnRate: churnRateOf(churn(records, start, now)),
    churn: churn(records, start, now),
    trialConversion: conversion(trialsBetween(records, start, now)),
    subscriptionBreakdown: Object.fromEntries(
      SUBSCRIPTION_STATUSES.map(status => [status, records.subscriptions.filter(it => it.status === status).length]),
    ),
    customerGrowth: growth(records.customers, customerCount, start, now, growthDays),
    webhookStats: records.webhookEvents,
    referralStats: {
      totalCodes: records.codes,
      totalReferrals: records.referrals.length,
      converted: records.referrals.filter(it => it.status === 'converted').length,
    },
  } satisfies Omit<Analytics, 'asOf' | 'subscriptionBreakdown'> & { subscriptionBreakdown: Record<string, number> };
}

/** What each price adds to the revenue of subscriptions that earn, and how many bill it. */
function revenueByPrice(earning: readonly SubscriptionState[]): Analytics['mrrByPrice'] {
  const billed = earning.flatMap(({ id, items }) =>
    items.flatMap(item => (item.priceId ? [{ ...item, id, priceId: item.priceId }] : [])),
  );
  return [...Map.groupBy(billed, ({ priceId }) => priceId)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([priceId, items]) => {
      const priced = Map.groupBy(
        items.filter(item => (itemParts(item) ?? 0n) > 0n),
        ({ currency }) => currency,
      );
      const sums = [...priced].map(([currency, of]) => [currency, roundedSum(of.map(it => itemParts(it) ?? 0n))]);
      return { priceId, subscriptions: new Set(items.map(({ id }) => id)).size, mrr: Object.fromEntries(sums) };
    });
}

/** The subscriptions behind each metric, in the order of their list: the newest first, of the lost ones the last end. */
export function expectedSubscriptions(records: ProjectRecords, baseCurrency: string, now: Date, growthDays: number) {
  const start = new Date(now.getTime() - growthDays * DAY);
  const newestFirst = records.subscriptions.filter(isEarning).toSorted(descending(it => it.createdAt));
  const isPriced = (item: BilledItem) => item.interval !== null && !item.metered && decimalOf(item) !== null;
  return {
    mrr: newestFirst.filter(({ items }) => items.some(it => it.currency === baseCurrency && isPriced(it))),
    excluded: [...records.subscriptions, ...records.clocked]
      .filter(it => isEarning(it) && exclusionReason(it, baseCurrency) !== null)
      .toSorted(descending(it => it.createdAt)),
    churn: lostBetween(records, start, now).toSorted(descending(it => it.endedAt ?? now)),
    trialConversion: trialsBetween(records, start, now)
      .toSorted(
        (one, other) => other.endedAt.getTime() - one.endedAt.getTime() || (one.state.id < other.state.id ? -1 : 1),
      )
      .map(({ state }) => state),
  };
}

/** The subscriptions whose end somebody requested in the window and not taken back, the last request first. */
export function canceledBetween({ subscriptions }: ProjectRecords, now: Date, growthDays: number) {
  const start = new Date(now.getTime() - growthDays * DAY);
  return subscriptions
    .filter(it => it.status === 'canceled' || (it.cancelAtPeriodEnd && it.status !== 'incomplete_expired'))
    .filter(it => !it.involuntary)
    .filter(({ canceledAt }) => canceledAt && canceledAt >= start && canceledAt < now)
    .toSorted(descending(it => it.canceledAt ?? now));
}

/** How many subscriptions were canceled for each reason, the most frequent first. */
export function expectedCancellations(records: ProjectRecords, now: Date, growthDays: number) {
  const reasons = canceledBetween(records, now, growthDays).map(({ cancellation }) => cancellation?.reason ?? null);
  return [...Map.groupBy(reasons, reason => reason)]
    .map(([reason, { length: count }]) => ({ reason, count }))
    .toSorted((one, other) => other.count - one.count || ((one.reason ?? '~') < (other.reason ?? '~') ? -1 : 1));
}

const descending = (timeOf: (it: SubscriptionState) => Date) => (one: SubscriptionState, other: SubscriptionState) =>
  timeOf(other).getTime() - timeOf(one).getTime() || (one.id < other.id ? -1 : 1);

const isEarning = ({ status }: SubscriptionState) => status === 'active' || status === 'trialing';

/** Why `mrr` leaves out a subscription, wholly or in part. */
export function exclusionReason(
  { items, testClockId }: SubscriptionState,
  baseCurrency: string,
): ExclusionReason | null {
  const [first] = items;
  if (!first) return null;
  if (testClockId !== null) return 'testClock';
  if (first.currency !== baseCurrency) return 'otherCurrency';
  const recurring = items.filter(({ interval }) => interval !== null);
  const hasNoAmount = (item: BilledItem) =>
    item.billingScheme === 'tiered' || (decimalOf(item) === null && !item.metered);
  if (recurring.some(hasNoAmount)) return 'tiered';
  return recurring.some(({ metered }) => metered) ? 'metered' : null;
}

const churn = (records: ProjectRecords, start: Date, now: Date) => ({
  active: records.lives.filter(life => wasLive(life, start)).length,
  ended: lostBetween(records, start, now).length,
});

const churnRateOf = ({ active, ended }: ReturnType<typeof churn>): number =>
  active === 0 ? 0 : Math.floor((ended * 20_000 + active) / (2 * active)) / 100;

const lostBetween = (records: ProjectRecords, start: Date, now: Date): SubscriptionState[] =>
  records.lives.flatMap(life => {
    const { newest } = life;
    return newest.endedAt && newest.endedAt < now && wasLive(life, start) ? [newest] : [];
  });

/** The subscriptions whose trial ended in a window, each with when, and whether it was active after the trial. */
export const trialsBetween = (records: ProjectRecords, start: Date, now: Date) =>
  records.lives.flatMap(life => {
    const state = life.newest;
    if (!state.trialEnd || ['trialing', 'incomplete', 'incomplete_expired'].includes(state.status)) return [];
    const isCutShort = state.endedAt !== null && state.endedAt <= state.trialEnd;
    const endedAt = isCutShort ? (state.endedAt ?? now) : state.trialEnd;
    const was = (status: string) => statesOf(life).some(it => it.state.status === status);
    const isConverted = was('active') || (!was('trialing') && !isCutShort && state.status !== 'paused');
    return start < endedAt && endedAt < now ? [{ state, endedAt, isConverted }] : [];
  });

function conversion(trials: ReturnType<typeof trialsBetween>) {
  const [ended, converted] = [trials.length, trials.filter(({ isConverted }) => isConverted).length];
  return { ended, converted, rate: ended === 0 ? 0 : Math.floor((converted * 20_000 + ended) / (2 * ended)) / 100 };
}

/**
 * The states of a subscription by the time from which they counted: the first from its start on, any other from when it was
 * shown, and none from its end on.
 */
export const statesOf = ({ newest: { startedAt, endedAt }, shown }: Life): readonly Shown[] =>
  shown
    .map(({ state, at }, index) => ({ state, at: index === 0 ? startedAt : at }))
    .filter(({ at }, index) => index === 0 || !endedAt || at < endedAt);

/** Whether a subscription was active or trialing at a time. What is first seen canceled was active until then. */
function wasLive(life: Life, time: Date): boolean {
  const { startedAt, endedAt, status } = life.newest;
  if (time < startedAt || (endedAt && endedAt <= time)) return false;
  const then = statesOf(life).findLast(({ at }) => at <= time);
  return then ? isEarning(then.state) : status === 'canceled';
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
export const PARTS =
  12n *
  10n ** 12n *
  Array.from({ length: 1_095 }, (_, index) => BigInt(index + 1)).reduce((a, b) => (a / gcd(a, b)) * b);

/** What a subscription adds to the monthly revenue in a currency, in parts. */
export function partsOf(subscription: SubscriptionState, currency: string): bigint {
  return isEarning(subscription) && subscription.items[0]?.currency === currency ? faceParts(subscription) : 0n;
}

/** What a subscription is worth a month whatever its status, in parts. */
const faceParts = ({ items }: SubscriptionState): bigint => items.reduce((sum, it) => sum + (itemParts(it) ?? 0n), 0n);

const PER_YEAR = { month: 12n, year: 1n, week: 52n, day: 365n };

/** What an item is worth a month, in parts; null without an amount. */
function itemParts(item: BilledItem): bigint | null {
  const { interval, intervalCount, metered, billingScheme } = item;
  const decimal = decimalOf(item);
  if (interval === null || metered || billingScheme === 'tiered' || decimal === null) return null;
  const [digits = '', decimals = ''] = decimal.split('.');
  const trillionths = BigInt(digits + decimals.padEnd(12, '0'));
  return (trillionths * unitsOf(item) * PER_YEAR[interval] * PARTS) / 10n ** 12n / (12n * BigInt(intervalCount ?? 1));
}

/** How many parts make one minor unit after two discounts of a percentage with two decimals. */
const DISCOUNTED_PARTS = PARTS * 10n ** 8n;

/** What a subscription is worth a month after its discounts that last over a month; one of an amount is the last. */
function discountedParts({ items, discounts }: SubscriptionState, now: Date): bigint {
  const lasting = discounts.filter(
    ({ duration, endsAt }) =>
      duration !== 'once' && (endsAt === null || dayNumber(monthBefore(endsAt)) > dayNumber(now)),
  );
  const worth = items.flatMap((item, index) => {
    const parts = itemParts(item);
    if (parts === null || item.interval === null) return [];
    const ofItem = lasting.filter(
      ({ processorProductIds: only, itemIndex }) =>
        (itemIndex === null || itemIndex === index) && (only === null || only.includes(item.processorProductId)),
    );
    const left = ofItem.map(({ percentOff }) => BigInt(10_000 - Math.round((percentOff ?? 0) * 100)));
    const product =
      left.slice(0, 2).reduce((all, one) => all * one, 1n) * 10n ** (8n - 4n * BigInt(Math.min(2, left.length)));
    return [
      { parts: parts * product, billed: (PER_YEAR[item.interval] * PARTS) / (12n * BigInt(item.intervalCount ?? 1)) },
    ];
  });
  const total = worth.reduce((sum, { parts }) => sum + parts, 0n);
  const amountOff = lasting.find(it => it.amountOff !== null && it.currency === items[0]?.currency)?.amountOff ?? 0;
  const most = worth.reduce((max, { billed }) => (billed > max ? billed : max), 0n);
  const after = total - BigInt(amountOff) * most * 10n ** 8n;
  return after > 0n ? after : 0n;
}

function monthBefore(time: Date): Date {
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()];
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1, Math.min(time.getUTCDate(), days)));
}

/** Whether a decimal text is what a subscription is worth after its discounts. */
export const isDiscountedWorthOf = (subscription: SubscriptionState, text: string, now: Date): boolean =>
  isTextOf({ numerator: discountedParts(subscription, now), denominator: DISCOUNTED_PARTS }, text);

const decimalOf = ({ unitAmount, unitAmountDecimal }: BilledItem): string | null =>
  unitAmountDecimal ?? (unitAmount === null ? null : String(unitAmount));

function unitsOf({ quantity, transformQuantity }: BilledItem): bigint {
  if (!transformQuantity) return BigInt(quantity);
  const { divideBy, round } = transformQuantity;
  const rest = quantity % divideBy;
  return BigInt((quantity - rest) / divideBy + (round === 'up' && rest > 0 ? 1 : 0));
}

/** Whether a decimal text is what a subscription is worth: exactly, or less than 10^-18 above where decimals have no end. */
export const isWorthOf = (subscription: SubscriptionState, text: string): boolean =>
  isTextOf({ numerator: faceParts(subscription), denominator: PARTS }, text);

/** Whether a decimal text is a fraction: exactly, or less than 10^-18 above where decimals have no end. */
export function isTextOf({ numerator, denominator }: Fraction, text: string): boolean {
  const [digits = '', decimals = ''] = text.split('.');
  const scale = 10n ** BigInt(decimals.length);
  const excess = BigInt(digits + decimals) * denominator - numerator * scale;
  return excess === 0n || (decimals.length === 18 && excess > 0n && excess < denominator);
}

/** The sum of decimal texts, rounded half up. */
export function roundedTexts(texts: readonly string[]): number {
  const longest = Math.max(0, ...texts.map(text => text.split('.')[1]?.length ?? 0));
  const scaled = texts.map(text => {
    const [digits = '', decimals = ''] = text.split('.');
    return BigInt(digits + decimals.padEnd(longest, '0'));
  });
  return rounded(
    scaled.reduce((sum, it) => sum + it, 0n),
    10n ** BigInt(longest),
  );
}

/** Minor units, rounded half up. */
export const roundedSum = (parts: readonly bigint[]): number =>
  rounded(
    parts.reduce((all, it) => all + it, 0n),
    PARTS,
  );

function rounded(numerator: bigint, denominator: bigint): number {
  const doubled = 2n * numerator + denominator;
  const rest = ((doubled % (2n * denominator)) + 2n * denominator) % (2n * denominator);
  return Number((doubled - rest) / (2n * denominator));
}

export const dayNumber = (time: Date) => Math.floor(time.getTime() / DAY);

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}

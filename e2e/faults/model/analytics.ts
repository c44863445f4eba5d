import type { ModelItem, ModelSubscription } from './subscriptions.ts';

/** The figures that follow from the subscriptions, computed all over again. Amounts are minor units a month. */
export interface ModelAnalytics {
  readonly mrr: number;
  readonly mrrTrialing: number;
  readonly mrrByCurrency: Readonly<Record<string, number>>;
  /** Only statuses that occur. */
  readonly subscriptionBreakdown: Readonly<Record<string, number>>;
}

/** Intervals in a year. */
const PER_YEAR = { month: 12n, year: 1n, week: 52n, day: 365n };
/** Divisible by every interval count from one to twelve, so that sums stay whole. */
const WHOLE = 27_720n;

export function computeAnalytics(
  subscriptions: readonly ModelSubscription[],
  { baseCurrency = 'usd' } = {},
): ModelAnalytics {
  const earning = subscriptions.filter(({ status }) => status === 'active' || status === 'trialing');
  const trialing = earning.filter(({ status }) => status === 'trialing');
  const currencies = new Set([baseCurrency, ...earning.flatMap(({ items }) => items.map(({ currency }) => currency))]);
  return {
    mrr: monthly(earning, baseCurrency),
    mrrTrialing: monthly(trialing, baseCurrency),
    mrrByCurrency: Object.fromEntries([...currencies].map(currency => [currency, monthly(earning, currency)])),
    subscriptionBreakdown: countBy(subscriptions.map(({ status }) => status)),
  };
}

/** Σ unit amount × quantity × factor ÷ interval count, exact, and rounded once at the end. */
function monthly(subscriptions: readonly ModelSubscription[], currency: string): number {
  const items = subscriptions.flatMap(it => it.items).filter(item => item.currency === currency);
  const sum = items.reduce((total, item) => total + yearlyParts(item), 0n);
  const over = 12n * WHOLE;
  return Number((2n * sum + over) / (2n * over));
}

const yearlyParts = ({ unitAmount, quantity, interval, intervalCount }: ModelItem): bigint =>
  (BigInt(unitAmount) * BigInt(quantity) * PER_YEAR[interval] * WHOLE) / BigInt(intervalCount);

const countBy = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(names, name => name)].map(([name, all]) => [name, all.length]));

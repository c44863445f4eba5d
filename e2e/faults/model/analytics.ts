import type { ModelItem, ModelSubscription } from './subscriptions.ts';

/** Metrics recomputed from the subscriptions. Amounts are minor units per month. */
export interface ModelAnalytics {
  readonly mrr: number;
  readonly mrrTrialing: number;
  readonly mrrByCurrency: Readonly<Record<string, number>>;
  /** Counts by status; statuses without subscriptions are absent. */
  readonly subscriptionBreakdown: Readonly<Record<string, number>>;
}

/** Intervals per year. */
const PER_YEAR = { month: 12n, year: 1n, week: 52n, day: 365n };
/** The least common multiple of the interval counts 1 to 12; keeps sums exact integers. */
const SCALE = 27_720n;

/** Computes monthly recurring revenue by currency, and counts subscriptions by status. */
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

/** Returns Σ unit amount × quantity × intervals per year ÷ interval count ÷ 12, computed exactly and rounded once. */
function monthly(subscriptions: readonly ModelSubscription[], currency: string): number {
  const items = subscriptions.flatMap(it => it.items).filter(item => item.currency === currency);
  const sum = items.reduce((total, item) => total + scaledYearlyAmount(item), 0n);
  const divisor = 12n * SCALE;
  return Number((2n * sum + divisor) / (2n * divisor));
}

const scaledYearlyAmount = ({ unitAmount, quantity, interval, intervalCount }: ModelItem): bigint =>
  (BigInt(unitAmount) * BigInt(quantity) * PER_YEAR[interval] * SCALE) / BigInt(intervalCount);

const countBy = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(names, name => name)].map(([name, all]) => [name, all.length]));

import type { ModelItem, ModelSubscription } from './subscriptions.ts';

type Exclusion = 'otherCurrency' | 'tiered' | 'metered' | 'testClock';

/** Metrics recomputed from the subscriptions. Amounts are minor units per month. */
export interface ModelAnalytics {
  readonly mrr: number;
  readonly mrrTrialing: number;
  readonly mrrPaused: number;
  readonly mrrExcluded: Readonly<Record<Exclusion, number>>;
  readonly mrrByCurrency: Readonly<Record<string, number>>;
  /** Counts by status; statuses without subscriptions are absent. */
  readonly subscriptionBreakdown: Readonly<Record<string, number>>;
}

/** Intervals per year. */
const PER_YEAR = { month: 12n, year: 1n, week: 52n, day: 365n };
/** Stripe's amounts have up to twelve decimals. */
const DECIMALS = 12;
/** The least common multiple of the interval counts 1 to 12; keeps sums exact integers. */
const COUNTS = 27_720n;
const SCALE = COUNTS * 10n ** BigInt(DECIMALS);

/** Computes monthly recurring revenue by currency, and counts subscriptions by status. */
export function computeAnalytics(
  subscriptions: readonly ModelSubscription[],
  { baseCurrency = 'usd' } = {},
): ModelAnalytics {
  const earning = subscriptions.filter(({ status }) => status === 'active' || status === 'trialing');
  const trialing = earning.filter(({ status }) => status === 'trialing');
  const paused = earning.filter(one => one.paused !== null);
  const currencies = new Set([baseCurrency, ...earning.flatMap(({ items }) => items.map(({ currency }) => currency))]);
  const byCurrency = [...currencies].map(currency => [currency, monthly(earning, currency)] as const);
  const exclusions = earning.map(subscription => exclusionOf(subscription, baseCurrency));
  return {
    mrr: monthly(earning, baseCurrency),
    mrrTrialing: monthly(trialing, baseCurrency),
    mrrPaused: monthly(paused, baseCurrency),
    mrrExcluded: {
      tiered: 0,
      metered: 0,
      otherCurrency: 0,
      testClock: 0,
      ...countBy(exclusions.filter(it => it !== null)),
    },
    mrrByCurrency: Object.fromEntries(byCurrency.filter(([currency, sum]) => currency === baseCurrency || sum > 0)),
    subscriptionBreakdown: countBy(subscriptions.map(({ status }) => status)),
  };
}

/** Returns Σ amount × billed units × intervals per year ÷ interval count ÷ 12, computed exactly and rounded once. */
function monthly(subscriptions: readonly ModelSubscription[], currency: string): number {
  const items = subscriptions.flatMap(it => it.items).filter(item => item.currency === currency);
  const priced = items.filter(({ usageType }) => usageType === 'licensed');
  const sum = priced.reduce((total, item) => total + scaledYearlyAmount(item), 0n);
  const divisor = 12n * SCALE;
  return Number((2n * sum + divisor) / (2n * divisor));
}

function scaledYearlyAmount(item: ModelItem): bigint {
  const [whole = '0', fraction = ''] = (item.amount ?? '0').split('.');
  const scaledAmount = BigInt(whole + fraction.padEnd(DECIMALS, '0'));
  return (scaledAmount * billedUnits(item) * PER_YEAR[item.interval] * COUNTS) / BigInt(item.intervalCount);
}

function billedUnits({ quantity, transform }: ModelItem): bigint {
  if (!transform) return BigInt(quantity);
  const packages = quantity / transform.divide_by;
  return BigInt(transform.round === 'up' ? Math.ceil(packages) : Math.floor(packages));
}

/** Returns why `mrr` leaves a subscription out; null when it does not. */
function exclusionOf({ items }: ModelSubscription, baseCurrency: string): Exclusion | null {
  if (items.some(({ currency }) => currency !== baseCurrency)) return 'otherCurrency';
  if (items.some(({ billingScheme }) => billingScheme === 'tiered')) return 'tiered';
  return items.some(({ usageType }) => usageType === 'metered') ? 'metered' : null;
}

const countBy = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(names, name => name)].map(([name, all]) => [name, all.length]));

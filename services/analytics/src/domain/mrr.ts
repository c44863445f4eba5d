import { perMonth, sumOf, sumTerms, type RevenueTerm } from '@billing/contracts/item-revenue';
import type { Analytics } from '@billing/contracts/resources/analytics';
import { liveCounts } from './left-out.ts';
import { parseDiscountMetric, parsePriceMetric, parseRevenueMetric } from './metrics.ts';
import { monthlyRevenue, toMinorUnits, yearlyRevenue } from './revenue.ts';

/** A project's metrics over all time, by name. */
type Totals = ReadonlyMap<string, bigint>;

type Revenue = Pick<
  Analytics,
  'mrr' | 'mrrDiscounted' | 'arr' | 'mrrTrialing' | 'mrrPaused' | 'mrrExcluded' | 'mrrByCurrency'
>;

/** A part of the monthly recurring revenue. */
export type MrrPart = 'trialing' | 'paused';

/** Returns the names of the metrics that a part of the revenue in one currency adds up. */
export const metricsOfPart = (currency: string, totals: Totals, part: MrrPart): string[] =>
  [...totals].flatMap(([metric, amount]) => {
    const term = parseRevenueMetric(metric, amount);
    return term?.currency === currency && term.status === part ? [metric] : [];
  });

/**
 * Returns how metrics of revenue in one currency add up exactly: the sum of each metric's amount times its weight, which is a
 * whole number as text, over the denominator, is the monthly recurring revenue in minor units.
 */
export function weighRevenue(currency: string, totals: Totals) {
  const found = [...totals].flatMap(([metric, amount]) => {
    const term = parseRevenueMetric(metric, amount);
    return term?.currency === currency && isIn(term.status) ? [{ metric, part: perMonth(term) }] : [];
  });
  const { denominator } = sumOf(found.map(({ part }) => part));
  const weights = found.map(({ metric, part }) => [metric, `${denominator / part.denominator}`] as const);
  return { weights: Object.fromEntries(weights), denominator };
}

/** Returns the monthly recurring revenue in one currency, in minor units; all of it, or the part in `only`. */
export function mrrIn(currency: string, totals: Totals, only?: MrrPart): number {
  return monthlyRevenue(termsIn(currency, totals, only));
}

/** Returns the monthly recurring revenue in one currency after discounts that last. */
export function discountedMrrIn(currency: string, totals: Totals): number {
  const discounts = [...totals].flatMap(([metric, amount]) => parseDiscountMetric(metric, -amount) ?? []);
  const ofCurrency = discounts.filter(it => it.currency === currency);
  return toMinorUnits(sumOf([sumTerms(termsIn(currency, totals)), ...ofCurrency]));
}

function termsIn(currency: string, totals: Totals, only?: MrrPart): RevenueTerm[] {
  return termsOf(totals).filter(term => term.currency === currency && isIn(term.status, only));
}

/** Whether revenue of a status is in a part, or in the whole: paused revenue is counted in its status too. */
const isIn = (status: string, only?: MrrPart): boolean => (only ? status === only : status !== 'paused');

/** Returns the revenue metrics of a project. Currencies are never added up; those without revenue are left out, except the base. */
export function revenueMetrics(totals: Totals, baseCurrency: string): Revenue {
  const withRevenue = termsOf(totals).filter(({ numerator }) => numerator !== 0n);
  const currencies = [...new Set([baseCurrency, ...withRevenue.map(({ currency }) => currency)])].toSorted();
  const live = liveCounts(totals, baseCurrency);
  const excluded = (wanted: string) =>
    Number(live.filter(({ reason }) => reason === wanted).reduce((sum, { count }) => sum + count, 0n));
  return {
    mrr: mrrIn(baseCurrency, totals),
    mrrDiscounted: discountedMrrIn(baseCurrency, totals),
    arr: yearlyRevenue(termsIn(baseCurrency, totals)),
    mrrTrialing: mrrIn(baseCurrency, totals, 'trialing'),
    mrrPaused: mrrIn(baseCurrency, totals, 'paused'),
    mrrExcluded: {
      tiered: excluded('tiered'),
      metered: excluded('metered'),
      otherCurrency: excluded('otherCurrency'),
      testClock: excluded('testClock'),
    },
    mrrByCurrency: Object.fromEntries(currencies.map(currency => [currency, mrrIn(currency, totals)])),
  };
}

/** Returns the revenue of each price, and how many subscriptions bill it. */
export function revenueByPrice(totals: Totals): Analytics['mrrByPrice'] {
  const found = [...totals].flatMap(([metric, amount]) => {
    const parsed = amount > 0n ? parsePriceMetric(metric, amount) : undefined;
    return parsed ? [{ ...parsed, amount }] : [];
  });
  const prices = [...Map.groupBy(found, ({ priceId }) => priceId)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return prices.map(([priceId, parts]) => {
    const terms = Map.groupBy(
      parts.flatMap(({ term }) => term ?? []),
      ({ currency }) => currency,
    );
    return {
      priceId,
      subscriptions: Number(parts.find(({ term }) => !term)?.amount ?? 0n),
      mrr: Object.fromEntries([...terms].map(([currency, of]) => [currency, monthlyRevenue(of)])),
    };
  });
}

const termsOf = (totals: Totals) => [...totals].flatMap(([metric, amount]) => parseRevenueMetric(metric, amount) ?? []);

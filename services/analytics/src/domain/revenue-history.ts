import type { Movement } from './figures.ts';
import { joined, monthlyRevenue, type RevenueTerm } from './revenue.ts';
import type { UtcDay } from './utc-day.ts';

/** A part of what revenue of one currency moved by on a day, below zero where it fell. */
export interface MovedTerm extends RevenueTerm {
  readonly movement: Movement;
  readonly day: UtcDay;
}

/**
 * Revenue at the end of each day and what moved it, backwards from `present`, what is earned now. The days are
 * ascending and without gaps; the last is today and has all that is dated later, so that each day's revenue is exactly
 * that of the day before plus what moved it, until each amount is rounded.
 */
export function revenueHistory(days: readonly UtcDay[], present: readonly RevenueTerm[], moved: readonly MovedTerm[]) {
  const today = days.at(-1) ?? '';
  const byDay = Map.groupBy(moved, ({ day }) => (day > today ? today : day));
  let earned = joined(present);
  const latestFirst = days.toReversed().map(date => {
    const terms = byDay.get(date) ?? [];
    const mrr = monthlyRevenue(earned);
    earned = joined([...earned, ...terms.map(reversed)]);
    return { date, mrr, ...amountsOf(terms) };
  });
  return latestFirst.toReversed();
}

/** What revenue rose and fell by, without a sign. */
function amountsOf(terms: readonly MovedTerm[]) {
  const of = (movement: Movement) => terms.filter(term => term.movement === movement);
  return {
    newMrr: monthlyRevenue(of('new')),
    expansionMrr: monthlyRevenue(of('expansion')),
    contractionMrr: monthlyRevenue(of('contraction').map(reversed)),
    churnedMrr: monthlyRevenue(of('churned').map(reversed)),
  };
}

const reversed = ({ currency, intervalCount, numerator }: RevenueTerm): RevenueTerm => ({
  currency,
  intervalCount,
  numerator: -numerator,
});

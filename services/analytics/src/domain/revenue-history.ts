import type { Movement } from './metrics.ts';
import { combineTerms, monthlyRevenue, negateTerms, type RevenueTerm } from './revenue.ts';
import type { UtcDay } from './utc-day.ts';

/** A part of a day's revenue movements in one currency; negative where revenue fell. */
export interface MovementTerm extends RevenueTerm {
  readonly movement: Movement;
  readonly day: UtcDay;
}

/**
 * Revenue at the end of each day with the day's movements, counted backwards from the `present` revenue. The days ascend
 * without gaps; the last is today and includes everything dated later. Before rounding, each day's revenue is exactly
 * the previous day's plus its movements.
 */
export function revenueHistory(
  days: readonly UtcDay[],
  present: readonly RevenueTerm[],
  movements: readonly MovementTerm[],
) {
  const today = days.at(-1) ?? '';
  const byDay = Map.groupBy(movements, ({ day }) => (day > today ? today : day));
  let revenue = combineTerms(present);
  const latestFirst = days.toReversed().map(date => {
    const terms = byDay.get(date) ?? [];
    const mrr = monthlyRevenue(revenue);
    revenue = combineTerms([...revenue, ...negateTerms(terms)]);
    return { date, mrr, ...movementAmounts(terms) };
  });
  return latestFirst.toReversed();
}

/** How much revenue moved for each reason, without a sign. */
function movementAmounts(terms: readonly MovementTerm[]) {
  const of = (movement: Movement) => terms.filter(term => term.movement === movement);
  return {
    newMrr: monthlyRevenue(of('new')),
    expansionMrr: monthlyRevenue(of('expansion')),
    contractionMrr: monthlyRevenue(negateTerms(of('contraction'))),
    churnedMrr: monthlyRevenue(negateTerms(of('churned'))),
  };
}

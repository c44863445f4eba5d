import type { RevenueTerm } from '@billing/contracts/item-revenue';
import type { MovementMetric } from '@billing/contracts/resources/analytics';
import { MOVEMENTS, type Movement } from './metrics.ts';
import { combineTerms, monthlyRevenue, negateTerms } from './revenue.ts';
import type { UtcDay } from './utc-day.ts';
import type { DaySpan } from './window.ts';

/** A part of a day's revenue movements in one currency; negative where revenue fell. */
export interface MovementTerm extends RevenueTerm {
  readonly movement: Movement;
  readonly day: UtcDay;
}

/**
 * Revenue at the end of each span with its movements, counted backwards from the `present` revenue. The spans ascend
 * without gaps; one that ends today includes everything dated later. Before rounding, the revenue of each is exactly
 * that of the one before plus its movements.
 */
export function revenueHistory(
  spans: readonly DaySpan[],
  today: UtcDay,
  present: readonly RevenueTerm[],
  movements: readonly MovementTerm[],
) {
  const last = spans.at(-1)?.date ?? '';
  // What is dated after today counts today.
  const isAfter = ({ day }: MovementTerm) => last < today && day > last;
  const within = movements.filter(term => !isAfter(term));
  const byDay = Map.groupBy(within, ({ day }) => (day > last ? last : day));
  let revenue = combineTerms([...present, ...negateTerms(movements.filter(isAfter))]);
  const latestFirst = spans.toReversed().map(({ from, date, days }) => {
    const terms = days.flatMap(day => byDay.get(day) ?? []);
    const mrr = monthlyRevenue(revenue);
    revenue = combineTerms([...revenue, ...negateTerms(terms)]);
    return { from, date, mrr, ...movementAmounts(terms) };
  });
  return latestFirst.toReversed();
}

/** The movements that a metric adds up, and whether it does so without their sign. */
const MOVEMENTS_OF: Readonly<Record<MovementMetric, { readonly of: readonly Movement[]; readonly falls?: true }>> = {
  newMrr: { of: ['new'] },
  expansionMrr: { of: ['expansion'] },
  reactivatedMrr: { of: ['reactivated'] },
  contractionMrr: { of: ['contraction'], falls: true },
  churnedMrr: { of: ['churned'], falls: true },
  netMrr: { of: MOVEMENTS },
};

/** Returns what a metric adds up: the terms of its movements, without the sign of those that only fall. */
export function termsOf(metric: MovementMetric, terms: readonly Omit<MovementTerm, 'day'>[]): RevenueTerm[] {
  const { of, falls } = MOVEMENTS_OF[metric];
  const wanted = terms.filter(({ movement }) => of.includes(movement));
  return falls ? negateTerms(wanted) : wanted;
}

/** How much revenue moved for each reason, without a sign, and in all; each is rounded once. */
export function movementAmounts(terms: readonly MovementTerm[]): Record<MovementMetric, number> {
  const amount = (metric: MovementMetric) => monthlyRevenue(termsOf(metric, terms));
  return {
    newMrr: amount('newMrr'),
    expansionMrr: amount('expansionMrr'),
    reactivatedMrr: amount('reactivatedMrr'),
    contractionMrr: amount('contractionMrr'),
    churnedMrr: amount('churnedMrr'),
    netMrr: amount('netMrr'),
  };
}

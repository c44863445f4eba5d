import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import { endOf } from './contributions.ts';
import { movementMetric, onDay, type Contribution, type Movement } from './metrics.ts';
import { combineTerms, negateTerms, subscriptionRevenue, sumTerms, type RevenueTerm } from './revenue.ts';
import { dayOf, laterOf } from './utc-day.ts';

/** Consecutive versions of a subscription with the same monthly revenue. */
export interface RevenuePeriod {
  readonly firstVersion: number;
  readonly lastVersion: number;
  /** When the first version was recorded, and when the subscription started and ended according to it. */
  readonly recordedAt: Date;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly revenue: readonly RevenueTerm[];
}

/** The revenue period of a single version. */
export const revenuePeriodOf = (state: SubscriptionState, recordedAt: Date): RevenuePeriod => ({
  firstVersion: state.version,
  lastVersion: state.version,
  recordedAt,
  startedAt: state.startedAt,
  endedAt: endOf(state),
  revenue: subscriptionRevenue(state),
});

/**
 * Merges further versions into a subscription's revenue periods. The versions may be late, repeated and in any order:
 * the same set of versions gives the same periods. Of a version recorded twice, the earlier time counts.
 */
export function mergeRevenuePeriods(
  periods: readonly RevenuePeriod[],
  versions: readonly RevenuePeriod[],
): readonly RevenuePeriod[] {
  let all = [...periods];
  for (const version of versions) {
    const at = all.findIndex(it => it.firstVersion <= version.firstVersion && version.firstVersion <= it.lastVersion);
    const containing = all[at];
    if (!containing) all = [...all, version];
    else if (containing.firstVersion === version.firstVersion && version.recordedAt < containing.recordedAt)
      all[at] = { ...containing, recordedAt: version.recordedAt };
  }
  const merged: RevenuePeriod[] = [];
  for (const period of all.toSorted((one, other) => one.firstVersion - other.firstVersion)) {
    const last = merged.at(-1);
    const continues =
      last && last.lastVersion + 1 === period.firstVersion && isSameRevenue(last.revenue, period.revenue);
    if (continues) merged[merged.length - 1] = { ...last, lastVersion: period.lastVersion };
    else merged.push(period);
  }
  return merged;
}

/** What a subscription adds to the daily revenue movements. Over all days they add up to its last period's revenue. */
export function movementContributions(periods: readonly RevenuePeriod[]): Contribution[] {
  const currencies = new Set(periods.flatMap(({ revenue }) => revenue.map(({ currency }) => currency)));
  return [...currencies].flatMap(currency => movementContributionsIn(currency, periods));
}

function movementContributionsIn(currency: string, periods: readonly RevenuePeriod[]): Contribution[] {
  const contributions: Contribution[] = [];
  let revenue: readonly RevenueTerm[] = [];
  let movedAt = new Date(0);
  for (const [index, period] of periods.entries()) {
    const next = period.revenue.filter(term => term.currency === currency);
    const change = combineTerms([...next, ...negateTerms(revenue)]);
    revenue = next;
    const { numerator: direction } = sumTerms(change);
    // Terms can change while their sum stays the same.
    if (direction === 0n) continue;
    movedAt = laterOf(movedAt, effectiveAt(period, index === 0));
    const movement = movementOf(direction, { isFirst: contributions.length === 0, hasEnded: period.endedAt !== null });
    for (const { intervalCount, numerator } of change)
      contributions.push(onDay(movementMetric(movement, currency, intervalCount), dayOf(movedAt), numerator));
  }
  return contributions;
}

/** The first known period takes effect at the subscription's start, an end at its end, any other when it was recorded. */
function effectiveAt({ recordedAt, startedAt, endedAt }: RevenuePeriod, isFirst: boolean): Date {
  if (endedAt) return laterOf(startedAt, endedAt);
  return isFirst ? startedAt : recordedAt;
}

function movementOf(direction: bigint, { isFirst, hasEnded }: { isFirst: boolean; hasEnded: boolean }): Movement {
  if (direction > 0n) return isFirst ? 'new' : 'expansion';
  return hasEnded ? 'churned' : 'contraction';
}

function isSameRevenue(one: readonly RevenueTerm[], other: readonly RevenueTerm[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ currency, intervalCount, numerator }, index) => {
      const its = other[index];
      return its?.currency === currency && its.intervalCount === intervalCount && its.numerator === numerator;
    })
  );
}

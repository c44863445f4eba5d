import { endOf, phaseOf, type CountedSubscription, type Phase } from './contributions.ts';
import { movementMetric, onDay, parseMovementMetric, type Contribution, type Movement } from './metrics.ts';
import { combineTerms, faceValue, isLive, negateTerms, sumTerms, type RevenueTerm } from './revenue.ts';
import { strongest, trialEvidenceOf, type TrialEvidence } from './trials.ts';
import { dayOf, laterOf, type UtcDay } from './utc-day.ts';

/** Consecutive versions of a subscription with the same monthly revenue in the same phase. */
export interface RevenuePeriod {
  readonly firstVersion: number;
  readonly lastVersion: number;
  /** When the first version was recorded, and when the subscription started and ended according to it. */
  readonly recordedAt: Date;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly phase: Phase;
  /** What the versions say about the subscription's trial, together. */
  readonly trial: TrialEvidence;
  /** None unless live. */
  readonly revenue: readonly RevenueTerm[];
  /** What a canceled subscription was worth before; null for any other, and when nobody looked. */
  readonly formerRevenue: readonly RevenueTerm[] | null;
}

/** The revenue period of a single version. */
export const revenuePeriodOf = (state: CountedSubscription, recordedAt: Date): RevenuePeriod => ({
  firstVersion: state.version,
  lastVersion: state.version,
  recordedAt,
  startedAt: state.startedAt,
  endedAt: endOf(state),
  phase: phaseOf(state.status),
  trial: trialEvidenceOf(state),
  revenue: isLive(state.status) ? faceValue(state.items) : [],
  formerRevenue: phaseOf(state.status) === 'canceled' ? faceValue(state.items) : null,
});

/**
 * Merges further versions into a subscription's revenue periods. The versions may be late, repeated and in any order:
 * the same set of versions gives the same periods. Of a version recorded twice, the earlier time counts. A period that
 * does not change stays the same object. If all versions come after the periods, the last period is enough.
 */
export function mergeRevenuePeriods(
  periods: readonly RevenuePeriod[],
  versions: readonly RevenuePeriod[],
): readonly RevenuePeriod[] {
  const all = [...periods];
  for (const version of versions) {
    const at = all.findIndex(it => it.firstVersion <= version.firstVersion && version.firstVersion <= it.lastVersion);
    const containing = all[at];
    if (!containing) all.push(version);
    else all[at] = withVersion(containing, version);
  }
  const merged: RevenuePeriod[] = [];
  for (const period of all.toSorted((one, other) => one.firstVersion - other.firstVersion)) {
    const last = merged.at(-1);
    const continues =
      last &&
      last.lastVersion + 1 === period.firstVersion &&
      last.phase === period.phase &&
      isSameRevenue(last.revenue, period.revenue);
    if (continues) {
      const trial = strongest([last.trial, period.trial]);
      merged[merged.length - 1] = { ...last, lastVersion: period.lastVersion, trial };
    } else merged.push(period);
  }
  return merged;
}

/** A period that contains a version, which says the same again unless the period is from an older version of this service. */
function withVersion(period: RevenuePeriod, version: RevenuePeriod): RevenuePeriod {
  const isEarlier = period.firstVersion === version.firstVersion && version.recordedAt < period.recordedAt;
  const trial = strongest([period.trial, version.trial]);
  const formerRevenue = period.formerRevenue ?? version.formerRevenue;
  if (!isEarlier && trial === period.trial && formerRevenue === period.formerRevenue) return period;
  return { ...period, trial, formerRevenue, recordedAt: isEarlier ? version.recordedAt : period.recordedAt };
}

/** The movements of a subscription up to one of its periods. */
interface FormerMovements {
  /** The revenue of that period. */
  readonly revenue: readonly RevenueTerm[];
  readonly contributions: readonly Contribution[];
}

/**
 * What a subscription adds to the daily revenue movements. Over all days they add up to its last period's revenue.
 * `periods` are all of its periods, or those that follow `former`: then only what they add.
 */
export function movementContributions(periods: readonly RevenuePeriod[], former?: FormerMovements): Contribution[] {
  if (periods.length === 0) return [];
  const moving = former ? periods : withFormerLife(periods);
  const currencies = new Set<string>();
  for (const { revenue } of former ? [former, ...moving] : moving)
    for (const { currency } of revenue) currencies.add(currency);
  return [...currencies].flatMap(currency => movementContributionsIn(currency, moving, former));
}

/** A subscription that is first seen canceled had its revenue from its start to its end, as its lifetime counts for churn. */
function withFormerLife(periods: readonly RevenuePeriod[]): readonly RevenuePeriod[] {
  const [first] = periods;
  if (!first?.formerRevenue) return periods;
  return [{ ...first, phase: 'live', endedAt: null, revenue: first.formerRevenue }, ...periods];
}

function movementContributionsIn(
  currency: string,
  periods: readonly RevenuePeriod[],
  former: FormerMovements | undefined,
): Contribution[] {
  const inCurrency = (terms: readonly RevenueTerm[]) => terms.filter(term => term.currency === currency);
  const contributions: Contribution[] = [];
  let revenue = inCurrency(former?.revenue ?? []);
  let movedOn = lastMovementDay(currency, former?.contributions ?? []);
  for (const [index, period] of periods.entries()) {
    const next = inCurrency(period.revenue);
    const hadNone = sumTerms(revenue).numerator === 0n;
    const change = combineTerms([...next, ...negateTerms(revenue)]);
    revenue = next;
    const { numerator: direction } = sumTerms(change);
    // Terms can change while their sum stays the same.
    if (direction === 0n) continue;
    const movement = movementOf(direction, { isFirst: movedOn === null, hadNone, hasEnded: period.endedAt !== null });
    const day = dayOf(effectiveAt(period, index === 0 && !former));
    movedOn = movedOn !== null && movedOn > day ? movedOn : day;
    for (const term of change) contributions.push(onDay(movementMetric(movement, term), movedOn, term.numerator));
  }
  return contributions;
}

/** No movement is without a contribution: the movements of one reason and day have one direction, so they never cancel. */
function lastMovementDay(currency: string, contributions: readonly Contribution[]): UtcDay | null {
  let last: UtcDay | null = null;
  for (const { metric, bucket, amount } of contributions)
    if ((last === null || bucket > last) && parseMovementMetric(metric, amount)?.currency === currency) last = bucket;
  return last;
}

/** The first known period takes effect at the subscription's start, an end at its end, any other when it was recorded. */
export function effectiveAt({ recordedAt, startedAt, endedAt }: RevenuePeriod, isFirst: boolean): Date {
  if (endedAt) return laterOf(startedAt, endedAt);
  return isFirst ? startedAt : recordedAt;
}

interface Circumstances {
  /** Whether the subscription never had revenue in the currency. */
  readonly isFirst: boolean;
  /** Whether it had none in the currency just before. */
  readonly hadNone: boolean;
  readonly hasEnded: boolean;
}

/**
 * Names a rise or fall of a subscription's revenue in one currency. A rise from none is `new` the first time, and
 * `reactivated` when there was revenue before: as usual for the movements of an account
 * (https://support.recurly.com/hc/en-us/articles/360041810792), here of a subscription.
 */
function movementOf(direction: bigint, { isFirst, hadNone, hasEnded }: Circumstances): Movement {
  if (direction < 0n) return hasEnded ? 'churned' : 'contraction';
  if (isFirst) return 'new';
  return hadNone ? 'reactivated' : 'expansion';
}

function isSameRevenue(one: readonly RevenueTerm[], other: readonly RevenueTerm[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ currency, divisor, numerator }, index) => {
      const its = other[index];
      return its?.currency === currency && its.divisor === divisor && its.numerator === numerator;
    })
  );
}

import type { CustomerId } from '@billing/contracts/ids';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { isOfLifetime, lifetimeContributions } from './lifetimes.ts';
import { combine, delta, isMovement, type Contribution } from './metrics.ts';
import type { Observation } from './observation.ts';
import { evidenceIn, isOfTrialResult, strongest, trialResultContributions } from './trials.ts';
import { movementContributions, type RevenuePeriod } from './revenue-periods.ts';

/** What lists show of a subscription, and how they find it. */
export interface ListedSubscription {
  readonly customerId: CustomerId;
  readonly status: SubscriptionStatus;
  /** Null without items. */
  readonly currency: string | null;
  /** What it is worth a month at face value, whatever its status, in minor units: decimal text. */
  readonly amount: string;
  /** The metric in which it counts while active or trialing. */
  readonly liveMetric: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

/** What the metrics include of a tracked record: the contributions of its newest observed state. */
export interface CountedState {
  readonly version: number;
  readonly contributions: readonly Contribution[];
  /** Null for other kinds than subscriptions. */
  readonly listed: ListedSubscription | null;
}

/** The new counted state of a record, and what it changes in the metrics. */
export interface CountedChange {
  readonly state: CountedState;
  readonly delta: readonly Contribution[];
}

/** The revenue periods that decide a subscription's movements and lifetimes. */
export interface ObservedPeriods {
  readonly periods: readonly RevenuePeriod[];
  /** Whether the first period is the last counted one, instead of the first of all. */
  readonly continueCounted: boolean;
}

const NO_PERIODS: ObservedPeriods = { periods: [], continueCounted: false };

/**
 * Advances a record to its newest observation, and what follows from its revenue periods to all of them. Returns undefined
 * when nothing changes: a version that is not newer than the counted one adds nothing, so observations may repeat and
 * come in any order.
 */
export function countObservation(
  counted: CountedState | undefined,
  newest: Observation,
  observed: ObservedPeriods = NO_PERIODS,
): CountedChange | undefined {
  const isNewer = !counted || newest.version > counted.version;
  const ofState = isNewer ? newest.contributions() : counted.contributions.filter(it => !isOfPeriods(it));
  const contributions = combine([
    ...ofState,
    ...ofPeriods(counted, observed),
    ...trialResultContributions(ofState, trialEvidence(counted, observed)),
  ]);
  const change = delta(counted?.contributions ?? [], contributions);
  if (!isNewer && change.length === 0) return undefined;
  const { version, listed } = isNewer ? { version: newest.version, listed: newest.listed?.() ?? null } : counted;
  return { state: { version, contributions, listed }, delta: change };
}

/** Removes a record from the metrics of a project that it has left; `newest` is the observation of the move. */
export function stopCounting(counted: CountedState, newest: Observation): CountedChange {
  return {
    state: { version: newest.version, contributions: [], listed: null },
    delta: delta(counted.contributions, []),
  };
}

function ofPeriods(counted: CountedState | undefined, { periods, continueCounted }: ObservedPeriods): Contribution[] {
  const [lastCounted, ...later] = periods;
  if (!counted || !lastCounted || !continueCounted)
    return [...movementContributions(periods), ...lifetimeContributions(periods)];
  const contributions = counted.contributions.filter(isMovement);
  return [
    ...contributions,
    ...movementContributions(later, { revenue: lastCounted.revenue, contributions }),
    ...lifetimeContributions(periods, counted.contributions),
  ];
}

/** What all versions say about a subscription's trial: those of the periods, and those counted before. */
const trialEvidence = (counted: CountedState | undefined, { periods, continueCounted }: ObservedPeriods) =>
  strongest([
    ...periods.map(({ trial }) => trial),
    ...(counted && (continueCounted || periods.length === 0) ? [evidenceIn(counted.contributions)] : []),
  ]);

/** Returns whether a contribution follows from all versions of a subscription together. */
export const isOfPeriods = (contribution: Contribution): boolean =>
  isMovement(contribution) || isOfLifetime(contribution) || isOfTrialResult(contribution);

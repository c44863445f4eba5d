import type { Lifetime } from './contributions.ts';
import { combine, delta, MOVEMENT_PREFIX, type Contribution } from './metrics.ts';
import type { Observation } from './observation.ts';
import { movementContributions, type RevenuePeriod } from './revenue-periods.ts';

/** What the metrics include of a tracked record: the contributions of its newest observed state. */
export interface CountedState {
  readonly version: number;
  readonly contributions: readonly Contribution[];
  readonly lifetime: Lifetime | null;
}

/** The new counted state of a record, and what it changes in the metrics. */
export interface CountedChange {
  readonly state: CountedState;
  readonly delta: readonly Contribution[];
}

/** The revenue periods that decide a subscription's movements. */
export interface ObservedPeriods {
  readonly periods: readonly RevenuePeriod[];
  /** Whether the first period is the last counted one, instead of the first of all. */
  readonly continueCounted: boolean;
}

const NO_PERIODS: ObservedPeriods = { periods: [], continueCounted: false };

/**
 * Advances a record to its newest observation, and its revenue movements to all its revenue periods. Returns undefined
 * when nothing changes: a version that is not newer than the counted one adds nothing, so observations may repeat and
 * come in any order.
 */
export function countObservation(
  counted: CountedState | undefined,
  newest: Observation,
  observed: ObservedPeriods = NO_PERIODS,
): CountedChange | undefined {
  const isNewer = !counted || newest.version > counted.version;
  const ofState = isNewer ? newest.contributions() : counted.contributions.filter(it => !isMovement(it));
  const contributions = combine([...ofState, ...movements(counted, observed)]);
  const change = delta(counted?.contributions ?? [], contributions);
  if (!isNewer && change.length === 0) return undefined;
  const { version, lifetime } = isNewer ? newest : counted;
  return { state: { version, contributions, lifetime }, delta: change };
}

/** Removes a record from the metrics of a project that it has left; `newest` is the observation of the move. */
export function stopCounting(counted: CountedState, newest: Observation): CountedChange {
  return {
    state: { version: newest.version, contributions: [], lifetime: null },
    delta: delta(counted.contributions, []),
  };
}

function movements(counted: CountedState | undefined, { periods, continueCounted }: ObservedPeriods): Contribution[] {
  const [lastCounted, ...later] = periods;
  if (!counted || !lastCounted || !continueCounted) return movementContributions(periods);
  const contributions = counted.contributions.filter(isMovement);
  return [...contributions, ...movementContributions(later, { revenue: lastCounted.revenue, contributions })];
}

const isMovement = ({ metric }: Contribution): boolean => metric.startsWith(MOVEMENT_PREFIX);

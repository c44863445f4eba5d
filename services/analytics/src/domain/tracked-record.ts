import { subscriptionContributions } from './contributions.ts';
import type { CountedSubscription } from './counted-subscription.ts';
import type { Point } from './lived-state.ts';
import { combine, delta, type Contribution } from './metrics.ts';
import type { RecordState } from './record-state.ts';

/** What the metrics include of a tracked record: the contributions of its newest state. */
export interface CountedState {
  readonly version: number;
  readonly contributions: readonly Contribution[];
  /** The newest state of a subscription, which is counted again when an older one becomes known; null for other kinds. */
  readonly subscription: CountedSubscription | null;
}

/** The new counted state of a record, and what it changes in the metrics. */
export interface CountedChange {
  readonly state: CountedState;
  readonly delta: readonly Contribution[];
}

/** Returns whether a state is newer than what is counted of its record. */
export const isNewer = (counted: CountedState | undefined, { version }: Pick<RecordState, 'version'>): boolean =>
  !counted || version > counted.version;

/**
 * Counts a record as its newest state says, the counted one or `given`: states may repeat and come in any order. `points` are
 * all that was shown of a subscription; there are none of other kinds.
 */
export function countState(
  counted: CountedState | undefined,
  given: RecordState,
  points: readonly Point[],
): CountedChange {
  const stays = counted?.subscription && !isNewer(counted, given);
  const { version, subscription } = stays ? counted : given;
  const contributions = combine(
    stays ? subscriptionContributions({ ...counted.subscription, points }) : given.contributions(points),
  );
  return { state: { version, contributions, subscription }, delta: delta(counted?.contributions ?? [], contributions) };
}

/** Removes a record from the metrics of a project that it has left; `newest` is its state after the move. */
export function stopCounting(counted: CountedState, newest: RecordState): CountedChange {
  return {
    state: { version: newest.version, contributions: [], subscription: null },
    delta: delta(counted.contributions, []),
  };
}

import type { ListedSubscription } from './listed-subscription.ts';
import { combine, delta, type Contribution } from './metrics.ts';
import type { RecordState } from './record-state.ts';

/** What the metrics include of a tracked record: the contributions of its newest state. */
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

/**
 * Advances a record to a state. Returns undefined when nothing changes: a version that is not newer than the counted one adds
 * nothing, so states may repeat and come in any order.
 */
export function countState(counted: CountedState | undefined, newest: RecordState): CountedChange | undefined {
  const { version } = newest;
  if (counted && version <= counted.version) return undefined;
  const contributions = combine(newest.contributions());
  const listed = newest.listed?.() ?? null;
  return { state: { version, contributions, listed }, delta: delta(counted?.contributions ?? [], contributions) };
}

/** Removes a record from the metrics of a project that it has left; `newest` is its state after the move. */
export function stopCounting(counted: CountedState, newest: RecordState): CountedChange {
  return {
    state: { version: newest.version, contributions: [], listed: null },
    delta: delta(counted.contributions, []),
  };
}

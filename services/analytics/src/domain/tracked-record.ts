import { subscriptionContributions } from './contributions.ts';
import type { CountedSubscription } from './counted-subscription.ts';
import type { Point } from './lived-state.ts';
import { combine, delta, type Contribution } from './metrics.ts';
import { isLate, recentPoints } from './recent-points.ts';
import type { RecordState } from './record-state.ts';
import { endOf } from './timeline.ts';

/** What the metrics include of a tracked record: the contributions of its newest state. */
export interface CountedState {
  readonly version: number;
  readonly contributions: readonly Contribution[];
  /** The newest state of a subscription, which is counted again when an older one becomes known; null for other kinds. */
  readonly subscription: CountedSubscription | null;
  /** With what later states of a subscription are counted; null after its end, when all points are, and for other kinds. */
  readonly recent: readonly Point[] | null;
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
 * Returns whether a state is counted with all that was shown of its subscription: when that includes something late, and
 * when the subscription has ended, started at another time or came onto a test clock, which is part of how its past counts.
 */
export function needsAllPoints(counted: CountedState | undefined, given: RecordState): boolean {
  if (!counted?.subscription) return false;
  const { recent, subscription: former } = counted;
  const newest = (isNewer(counted, given) && given.subscription) || former;
  const isAsBefore =
    endOf(newest) === null &&
    newest.startedAt.getTime() === former.startedAt.getTime() &&
    newest.testClockId === former.testClockId;
  return !isAsBefore || recent === null || isLate(recent, given.shown);
}

/**
 * Counts a record as its newest state says, the counted one or `given`: states may repeat and come in any order.
 * `allPoints` are all that was shown of a subscription, if it `needsAllPoints`. Else it is counted on from the recent ones:
 * its contributions change as those of the recent points do.
 */
export function countState(
  counted: CountedState | undefined,
  given: RecordState,
  allPoints: readonly Point[] | undefined,
): CountedChange {
  const stays = counted?.subscription && !isNewer(counted, given);
  const { version, subscription } = stays ? counted : given;
  const points = allPoints ?? [...(counted?.recent ?? []), ...given.shown];
  const before = counted?.contributions ?? [];
  const change = delta(
    counted?.subscription && counted.recent && !allPoints
      ? subscriptionContributions({ ...counted.subscription, points: counted.recent })
      : before,
    stays ? subscriptionContributions({ ...counted.subscription, points }) : given.contributions(points),
  );
  const recent = subscription && endOf(subscription) === null ? recentPoints(points) : null;
  return { state: { version, contributions: combine([...before, ...change]), subscription, recent }, delta: change };
}

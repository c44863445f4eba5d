import { sumTerms } from '@billing/contracts/item-revenue';
import { readState, type Point } from './lived-state.ts';
import { changesIn, CLOCK_TOLERANCE_MS, isReading } from './timeline.ts';

/**
 * Returns the points with which whatever follows counts the same as with all of them: those since the last event, and what
 * counts of those before it. So the cost of a change does not grow with the past of its subscription, unless it `isLate`.
 */
export function recentPoints(points: readonly Point[]): readonly Point[] {
  const until = settledUntil(points);
  const since = points.filter(({ at }) => at >= until);
  const settled = changesIn(
    points.filter(({ at }) => at < until),
    null,
  );
  return [...withoutRepeats(settled), ...new Map(since.map(it => [`${it.at} ${it.by} ${it.state}`, it])).values()];
}

/** Returns whether a point changes what the recent ones have left of the past: then all points are counted. */
export function isLate(recent: readonly Point[], shown: readonly Point[]): boolean {
  const until = settledUntil(recent);
  // An event of up to a minute before can show the same as a reading.
  return shown.some(point => point.at < until + (isReading(point) ? CLOCK_TOLERANCE_MS : 0));
}

/**
 * Returns the time up to which nothing that follows changes how points are counted: that of the last event with no reading
 * within a minute, since it would depend on events of that time whether the reading counts. Recent points have the same one.
 */
function settledUntil(points: readonly Point[]): number {
  const readings = points.filter(isReading);
  const isFarFromReadings = (time: number) =>
    readings.every(({ at }) => at < time - CLOCK_TOLERANCE_MS || at >= time + CLOCK_TOLERANCE_MS);
  const times = points.filter(it => !isReading(it)).map(({ at }) => at);
  return times.toSorted((one, other) => other - one).find(isFarFromReadings) ?? -Infinity;
}

/** Keeps the first change to each kind of state, and the last change. */
function withoutRepeats(changes: readonly Point[]): Point[] {
  const kinds = changes.map(({ state }) => kindOf(state));
  return changes.filter((_, index) => index === changes.length - 1 || kinds.indexOf(kinds[index] ?? '') === index);
}

/** What later contributions depend on of a state that is not the one just before: see `movements.ts` and `trials.ts`. */
function kindOf(state: string): string {
  const { status, hasTrial, revenue } = readState(state);
  const currency = sumTerms(revenue).numerator === 0n ? '' : revenue[0]?.currency;
  return `${status} ${hasTrial} ${currency}`;
}

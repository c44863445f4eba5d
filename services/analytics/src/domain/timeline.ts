import { SHOWN_BY } from '@billing/contracts/events/subscriptions';
import type { PricedItem } from '@billing/contracts/item-revenue';
import type { CountedSubscription } from './counted-subscription.ts';
import { readState, writeState, type LivedState, type Point } from './lived-state.ts';
import { laterOf } from './utc-day.ts';

/** What a subscription was from a time on, until its next period or its end. */
interface RevenuePeriod extends LivedState {
  readonly from: Date;
}

/** The revenue periods of a subscription, the first from its start on. */
export interface Timeline {
  readonly periods: readonly RevenuePeriod[];
  /** When it ended, at its start or later; null if it has not. */
  readonly endedAt: Date | null;
  /** Whether nothing is known of the time before its end. */
  readonly isPresumed: boolean;
}

/** What the timeline of a subscription follows from. */
export interface Lived extends Pick<
  CountedSubscription,
  'status' | 'startedAt' | 'endedAt' | 'currentPeriodEnd' | 'trialEnd' | 'observedAt'
> {
  readonly items: readonly PricedItem[];
  /** All that was shown of it, in any order. */
  readonly points: readonly Point[];
}

/** How far the clocks of a reading and of an event may differ, in milliseconds. */
export const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Returns what a subscription was at all times. It follows from the set of the states that were shown, in whatever order
 * they became known, and from the newest state, which settles what their order does not tell. The first known state takes
 * effect at the subscription's start, any other when it was shown. The end cuts off what was shown after it. A subscription
 * first known as canceled was active from its start to its end.
 */
export function timelineOf(subscription: Lived): Timeline {
  const { startedAt, observedAt, status, items, trialEnd } = subscription;
  const end = endOf(subscription);
  const endedAt = end && laterOf(startedAt, end);
  const written = (as: typeof status) => writeState(as, trialEnd !== null, items);
  const newest = endedAt ? null : written(status);
  const changes = changesIn(subscription.points, newest);
  if (newest !== null && changes.at(-1)?.state !== newest)
    changes.push({ at: observedAt.getTime(), by: SHOWN_BY.reading, state: newest });
  const isPresumed = changes.length === 0 && status === 'canceled';
  if (isPresumed) changes.push({ at: startedAt.getTime(), by: SHOWN_BY.created, state: written('active') });
  const periods = changes.map(({ at, state }, index): RevenuePeriod => {
    return { ...readState(state), from: index === 0 ? startedAt : laterOf(startedAt, new Date(at)) };
  });
  return {
    periods: periods.filter(({ from }, index) => index === 0 || !endedAt || from < endedAt),
    endedAt,
    isPresumed,
  };
}

/** When a subscription ended. A canceled one without `endedAt` ended with its billing period. */
export const endOf = ({
  status,
  endedAt,
  currentPeriodEnd,
}: Pick<Lived, 'status' | 'endedAt' | 'currentPeriodEnd'>): Date | null =>
  endedAt ?? (status === 'canceled' ? currentPeriodEnd : null);

/**
 * Returns the states one after the other, each with the time from which it was shown. `newest` is the one after all points;
 * null after the end, and when an event follows.
 */
export function changesIn(points: readonly Point[], newest: string | null): Point[] {
  const moments = momentsIn(points);
  const seenNext = seenAfter(moments, newest);
  const changes: Point[] = [];
  for (const [index, moment] of moments.entries()) {
    const former = changes.at(-1)?.state;
    const change = settle(moment, { former, later: seenNext[index] ?? null });
    if (change.state !== former) changes.push(change);
  }
  return changes;
}

/** Returns for each moment the state that was seen next, be it in a reading or as the newest; null if an event came before. */
function seenAfter(moments: readonly Point[][], newest: string | null): (string | null)[] {
  const seen: (string | null)[] = [newest];
  for (const moment of moments.slice(1).toReversed()) {
    const later = seen.at(-1) ?? null;
    seen.push(moment.every(isReading) ? settle(moment, { former: undefined, later }).state : null);
  }
  return seen.toReversed();
}

/** Groups what was shown by its time, oldest first. A reading follows the events of its time. */
function momentsIn(points: readonly Point[]): Point[][] {
  const events = points.filter(it => !isReading(it));
  const eventsByState = Map.groupBy(events, ({ state }) => state);
  // The event has the exact time.
  const repeatsAnEvent = ({ at, state }: Point) =>
    eventsByState.get(state)?.some(event => Math.abs(event.at - at) <= CLOCK_TOLERANCE_MS) ?? false;
  const readings = points.filter(it => isReading(it) && !repeatsAnEvent(it));
  const momentOf = (point: Point) => point.at * 2 + Number(isReading(point));
  return [...Map.groupBy([...events, ...readings], momentOf)]
    .toSorted(([one], [other]) => one - other)
    .map(([, moment]) => moment);
}

export const isReading = ({ by }: Point): boolean => by === SHOWN_BY.reading;

/**
 * Of the states that were shown in one second, the one of an update holds, not that of the creation; then the one that was
 * seen next, unless an event came before that; then one that differs from the state before; then the one with the greater
 * text. So it depends on the states only, not on the order in which they became known.
 */
function settle(
  points: readonly Point[],
  { former, later }: { former: string | undefined; later: string | null },
): Point {
  const rank = points.reduce((highest, { by }) => Math.max(highest, by), 0);
  const shown = points.filter(({ by }) => by === rank);
  const changed = shown.filter(({ state }) => state !== former);
  return (
    shown.find(({ state }) => state === later) ??
    (changed.length > 0 ? changed : shown).reduce((one, other) => (other.state > one.state ? other : one))
  );
}

import type { ShownState } from '@billing/contracts/events/subscriptions';
import { SHOWN_BY, type ShownBy, type SubscriptionWithHistory } from '@billing/contracts/events/subscriptions';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { faceValue, isLive, type PricedItem, type RevenueTerm } from './revenue.ts';
import { laterOf } from './utc-day.ts';

/** What a subscription was from a time on, until its next period or its end: its revenue, and whether it was active. */
interface RevenuePeriod {
  readonly from: Date;
  readonly status: SubscriptionStatus;
  readonly hasTrial: boolean;
  /** None unless it was active or trialing. */
  readonly revenue: readonly RevenueTerm[];
}

/** The revenue periods of a subscription, the first from its start on. */
export interface Timeline {
  readonly periods: readonly RevenuePeriod[];
  /** When it ended, at its start or later; null if it has not. */
  readonly endedAt: Date | null;
  /** Whether nothing is known of the time before its end. */
  readonly isPresumed: boolean;
}

/** The part of a subscription's state that its timeline follows from. */
export interface Lived extends Pick<
  SubscriptionWithHistory,
  'status' | 'startedAt' | 'endedAt' | 'currentPeriodEnd' | 'trialEnd' | 'observedAt'
> {
  readonly items: readonly PricedItem[];
  readonly history: readonly ShownState[];
}

/** How far the clocks of a reading and of an event may differ, in milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000;

/** A state, told apart from others by its key. */
interface Known extends Omit<RevenuePeriod, 'from'> {
  readonly key: string;
}

/** A state at the time at which it was shown. */
interface Point {
  readonly at: number;
  readonly by: ShownBy;
  readonly state: Known;
}

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
  const newest = endedAt ? null : knownState(status, trialEnd !== null, items);
  const changes = changesIn(subscription.history, newest);
  if (newest && changes.at(-1)?.state.key !== newest.key) changes.push({ at: observedAt.getTime(), state: newest });
  const isPresumed = changes.length === 0 && status === 'canceled';
  if (isPresumed) changes.push({ at: startedAt.getTime(), state: knownState('active', trialEnd !== null, items) });
  const periods = changes.map(({ at, state: { key: _key, ...state } }, index): RevenuePeriod => {
    return { ...state, from: index === 0 ? startedAt : laterOf(startedAt, new Date(at)) };
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

function knownState(status: SubscriptionStatus, hasTrial: boolean, items: readonly PricedItem[]): Known {
  const revenue = isLive(status) ? faceValue(items) : [];
  const terms = revenue.map(({ currency, divisor, numerator }) => `${currency}:${divisor}:${numerator}`);
  return { key: [status, hasTrial, ...terms].join(' '), status, hasTrial, revenue };
}

/** Returns the states one after the other, each with the time from which it was shown. */
function changesIn(history: readonly ShownState[], newest: Known | null): Pick<Point, 'at' | 'state'>[] {
  const moments = momentsIn(history);
  const seenNext = seenAfter(moments, newest);
  const changes: Pick<Point, 'at' | 'state'>[] = [];
  for (const [index, points] of moments.entries()) {
    const former = changes.at(-1)?.state;
    const state = settle(points, { former, later: seenNext[index] ?? null });
    if (state && state.key !== former?.key) changes.push({ at: points[0]?.at ?? 0, state });
  }
  return changes;
}

/** Returns for each moment the state that was seen next, be it in a reading or as the newest; null if an event came before. */
function seenAfter(moments: readonly Point[][], newest: Known | null): (Known | null)[] {
  const seen: (Known | null)[] = [newest];
  for (const points of moments.slice(1).toReversed()) {
    const isReading = points[0]?.by === SHOWN_BY.reading;
    seen.push(isReading ? (settle(points, { former: undefined, later: seen.at(-1) ?? null }) ?? null) : null);
  }
  return seen.toReversed();
}

/** Groups what was shown by its time, oldest first. A reading follows the events of its time. */
function momentsIn(history: readonly ShownState[]): Point[][] {
  const points = history.flatMap(({ status, hasTrial, items, shown }) => {
    const state = knownState(status, hasTrial, items);
    return shown.map(([at, by]): Point => ({ at, by, state }));
  });
  const events = points.filter(({ by }) => by !== SHOWN_BY.reading);
  // What events tell as well, they tell with its exact time.
  const isTold = ({ at, state }: Point) =>
    events.some(event => event.state.key === state.key && Math.abs(event.at - at) <= CLOCK_TOLERANCE_MS);
  const readings = points.filter(point => point.by === SHOWN_BY.reading && !isTold(point));
  const inOrder = [...events, ...readings].toSorted((one, other) => one.at - other.at);
  const momentOf = ({ at, by }: Point) => at * 2 + Number(by === SHOWN_BY.reading);
  return [...Map.groupBy(inOrder, momentOf)].toSorted(([one], [other]) => one - other).map(([, moment]) => moment);
}

/**
 * Of the states that were shown in one second, the one of an update holds, not that of the creation; then the one that was
 * seen next, unless an event came before that; then one that differs from the state before; then the one with the greater
 * key. So it depends on the states only, not on the order in which they became known.
 */
function settle(
  points: readonly Point[],
  { former, later }: { former: Known | undefined; later: Known | null },
): Known | undefined {
  const rank = Math.max(...points.map(({ by }) => by));
  const states = points.filter(({ by }) => by === rank).map(({ state }) => state);
  const seen = states.find(({ key }) => key === later?.key);
  if (seen) return seen;
  const changed = states.filter(({ key }) => key !== former?.key);
  return (changed.length > 0 ? changed : states).toSorted((one, other) => (one.key < other.key ? -1 : 1)).at(-1);
}
